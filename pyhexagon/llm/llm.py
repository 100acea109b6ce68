# SPDX-License-Identifier: MIT
"""``LLM``: a language model from a GGUF file on one device."""

from __future__ import annotations

import os
import struct
import threading
import warnings
import zipfile
import zlib
from dataclasses import asdict
from pathlib import Path
from tokenize import TokenError
from typing import Any, Final

import numpy as np

from pyhexagon import files, interrupts
from pyhexagon.arguments import whole_number
from pyhexagon.device import MAX_SESSIONS, Device
from pyhexagon.errors import ArgumentError
from pyhexagon.gguf_file import GGUFFile
from pyhexagon.llm.architectures import ARCHITECTURES
from pyhexagon.llm.encoder import Encoder
from pyhexagon.llm.engine import Engine
from pyhexagon.llm.engine_core import EngineCore
from pyhexagon.llm.language_model import MOST, LanguageModel, Prompt
from pyhexagon.llm.memory import SessionMemory, check_fits, planned, used
from pyhexagon.llm.model import Model, checked
from pyhexagon.llm.speculation import Draft, ModelDraft
from pyhexagon.llm.stage import Stage, room
from pyhexagon.llm.tokenizer import Tokenizer
from pyhexagon.llm.weights import Progress
from pyhexagon.models.hub import download
from pyhexagon.models.store import resolve
from pyhexagon.version import VERSION

_NOT_A_SAVE: Final = (  # what NumPy and zipfile raise for a damaged file
    ValueError, EOFError, NotImplementedError, RuntimeError, zipfile.BadZipFile, zlib.error, struct.error, TokenError,
)  # fmt: skip


class LLM(LanguageModel):
    """A language model from a GGUF file. All its layers run on the DSP: one message computes a decode step.

    Args:
        path: of the GGUF file, or the name of a pulled model, such as "qwen3:0.6b"; nothing is downloaded.
        n_ctx: context length in tokens, for prompt and completion; None: the model's training context, at most 4096.
            More than the training context raises a RuntimeWarning.
        kv: type of the KV cache, a kind of ``pyhexagon.cache``; None: "q8_0", or "f16" for encoders, which do not
            cache keys and values.
        n_sequences: number of sequences of n_ctx tokens that the KV cache has room for. The engine evicts or preempts
            further ones, and computes them anew when their requests continue.
        draft_model: proposes draft tokens for speculative decoding, which changes no completion: a small model with the
            same vocabulary (its path or name, or an LLM, which the caller closes), ``prompt_lookup()``, or any other
            draft of ``pyhexagon.llm.speculation``.
        device: an open device, or the name of one to open; see ``Device``.
        max_sessions: most DSP processes that the model may spread over, if the device is opened here.
        progress: called repeatedly during loading with the bytes loaded and the total.

    Raises:
        UnsupportedError: the model cannot run on this library; the message lists all reasons. Or ``pyhexagon[llm]`` is
            not installed.
        ArgumentError: a parameter is out of range, the draft model has another vocabulary, or a name has not been
            pulled.
        GGUFError: the file is damaged or no GGUF file.
        DspMemoryError: weights and KV cache do not fit.
        DeviceNotFoundError, SkelLoadError: as ``Device``.

    Any thread may use it, and streams may be interleaved. Close it, or use it in a ``with`` statement.
    """

    _own_draft: LLM | None = None

    def __init__(
        self,
        path: str | os.PathLike[str],
        n_ctx: int | None = None,
        *,
        kv: str | None = None,
        n_sequences: int = 1,
        draft_model: LLM | Draft | str | os.PathLike[str] | None = None,
        device: Device | str | None = None,
        max_sessions: int = MAX_SESSIONS,
        progress: Progress | None = None,
    ) -> None:
        self.path = resolve(path)
        self._lock = threading.Lock()
        for name, number in (("n_ctx", 1 if n_ctx is None else n_ctx), ("n_sequences", n_sequences)):
            whole_number(name, number, 1, MOST, "1")
        whole_number("max_sessions", max_sessions, 1, MAX_SESSIONS, "1")
        with GGUFFile(self.path) as file:
            can_run = checked(file)
            self._tokenizer = Tokenizer(file)
            template = file.metadata.get("tokenizer.chat_template")
            self._template = template if isinstance(template, str) else None
            self._owns_device = not isinstance(device, Device)
            config, _ = can_run
            n_ctx = min(config.n_ctx, 4096) if n_ctx is None else n_ctx
            is_encoder = ARCHITECTURES[config.architecture].traits.is_encoder
            kv = kv or ("f16" if is_encoder else "q8_0")
            beside = [] if is_encoder else room(config, n_ctx, n_sequences=n_sequences, kind=kv)
            n_most = device._memory.placement.max_sessions if isinstance(device, Device) else max_sessions
            check_fits(planned(file, can_run, n_ctx, n_sequences=n_sequences, kind=kv), self.path, n_most)
            self._device = device if isinstance(device, Device) else Device(device, max_sessions=max_sessions)
            try:
                self._model = Model(self._device, file, can_run, beside, progress)
                self._config, self._n_tokens = config, self._model.n_tokens
                self._classifier = self._model.classifier
                if is_encoder:
                    self._running = Encoder(self._model, n_ctx, kind=kv)
                else:
                    core = EngineCore(Stage(self._model, n_ctx, n_sequences=n_sequences, kind=kv))
                    self._running = Engine(core, self._lock, self._check)
                if isinstance(draft_model, (str, os.PathLike)):
                    draft_model = self._own_draft = LLM(
                        draft_model, n_ctx, kv=kv, n_sequences=n_sequences, device=self._device, progress=progress
                    )
                self._draft = self._as_draft(draft_model)
                if n_ctx > config.longest_ctx:
                    longest = f"{self.path} was made for {config.longest_ctx} tokens"
                    warnings.warn(f"n_ctx is {n_ctx}: {longest}, longer texts get worse", RuntimeWarning, stacklevel=2)
            except BaseException:
                if self._own_draft is not None:
                    self._own_draft.close()
                if self._owns_device:
                    self._device.close()
                raise
        self._kv = kv
        self._is_open = True

    @classmethod
    def from_pretrained(cls, repo: str, filename: str, *, revision: str | None = None, **more: Any) -> LLM:
        """Return a model of the Hugging Face Hub. It is downloaded once, and cached.

        Args:
            repo: repository, such as "Qwen/Qwen3-0.6B-GGUF".
            filename: in the repository, or a pattern such as "*Q4_0.gguf" that exactly one model matches.
            revision: a branch, a tag or a commit.
            **more: as for ``LLM``.

        Raises:
            HexagonError: the download fails; and as ``LLM``.
        """
        return cls(download(repo, filename, revision=revision), **more)

    @property
    def device(self) -> Device:
        """The device that runs the model."""
        return self._device

    def save(self, path: str | os.PathLike[str], prompt: Prompt) -> None:
        """Write the KV cache of a prompt to a file, from which ``load`` restores it. Tokens that are not cached are
        computed first.

        Only the file's owner may read it, because it contains the prompt.

        Args:
            path: of the file, in NumPy's npz format; 64 tokens take the bytes of a page of the KV cache.
            prompt: a string, or token ids.

        Raises:
            ArgumentError: the prompt is empty or longer than n_ctx.
            HexagonError: the file cannot be written.
        """
        with self._lock:
            self._check()
            saved = self._core.save(self._ids(prompt))
        files.save(Path(path), lambda file: np.savez(file, **saved), is_private=True)

    def load(self, path: str | os.PathLike[str]) -> list[int]:
        """Restore a KV cache that ``save`` wrote, for prefix caching, and return the tokens of its prompt.

        Raises:
            ArgumentError: the file cannot be read, ``save`` did not write it, or it is from another model or another
                type of KV cache.
            DspMemoryError: the prompt is longer than the KV cache.
        """
        try:
            with open(path, "rb") as content, np.load(content, allow_pickle=False) as file:
                saved = dict(file)
        except OSError as problem:
            raise ArgumentError(f"{os.fspath(path)} cannot be read: {problem.strerror or problem}") from None
        except _NOT_A_SAVE:  # NumPy would advise to load it unsafely
            raise ArgumentError(f"{os.fspath(path)} is not what LLM.save writes") from None
        with self._lock:
            self._check()
            return self._core.load(saved)

    def memory(self) -> dict[str, int]:
        """Return the bytes of shared memory that the device has allocated.

        Returns:
            Bytes of the "model" (weights), the "context" (KV cache and recurrent states) and "compute" (activations,
            messages, free memory of the pool). A draft model that was opened here is included.
        """
        sums = [sum(column) for column in zip(*self._memory(), strict=True)]
        return dict(zip(SessionMemory._fields, sums, strict=True))

    def _memory(self) -> list[SessionMemory]:
        self._check()
        parts = [one for one in (self, self._own_draft) if one is not None]
        weights = [tensor for one in parts for tensor in one._model.weights.tensors()]
        return used(self._device, weights, [tensor for one in parts for tensor in one._running.tensors()])

    def report(self) -> dict[str, Any]:
        """Return model, placement, memory and versions for logs and bug reports, as a dict that JSON can represent.

        "layers" counts the output matrix as a layer; "sessions" has the memory of each DSP process, as ``memory``.
        """
        sessions = [one._asdict() for one in self._memory()]
        n_layers = self._model.config.n_layers + 1
        return {
            "model": self.path,
            "architecture": self._model.config.architecture,
            "types": self._model.weights.types(),
            "n_ctx": self.n_ctx,
            "n_ctx_train": self._model.config.longest_ctx,
            "kv": self._kv,
            "layers": n_layers,
            "layers_on_the_dsp": n_layers,
            "memory": self.memory(),
            "sessions": sessions,
            "device": asdict(self._device.info()),
            "version": VERSION,
        }

    # --- Life ---

    def close(self) -> None:
        """Free the memory, and close the device if this object opened it. Again is a no-op."""
        interrupts.finish(self._close)

    def _close(self) -> None:
        with self._lock:
            self._is_open = False  # the rest can be done twice, after Ctrl-C
            if self._own_draft is not None:
                self._own_draft.close()
            if self._owns_device:
                self._device.close()
            else:
                self._running.close()
                self._model.weights.close()

    def _as_draft(self, draft: LLM | Draft | None) -> Draft | None:
        if not isinstance(draft, LLM):
            return draft
        here, there = self._tokenizer, draft.tokenizer
        names = ([one.name(token) for token in range(one.n_tokens)] for one in (here, there))
        if next(names) != next(names):
            raise ArgumentError(f"the draft {draft.path} has another vocabulary than {self.path}")
        return ModelDraft(draft._engine)
