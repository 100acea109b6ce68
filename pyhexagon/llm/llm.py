# SPDX-License-Identifier: MIT
"""``LLM``: a language model from a GGUF file on the devices of this machine."""

from __future__ import annotations

import os
import struct
import threading
import warnings
import zipfile
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import asdict
from pathlib import Path
from tokenize import TokenError
from typing import Any, Final, Literal
from weakref import WeakMethod

import numpy as np

from pyhexagon import files, interrupts
from pyhexagon.arguments import whole_number
from pyhexagon.device import MAX_SESSIONS, Device
from pyhexagon.errors import ArgumentError, UnsupportedError
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm.chat.given_template import given_template
from pyhexagon.llm.completion_model import MOST
from pyhexagon.llm.embedding_model import Prompt
from pyhexagon.llm.engine.embeddings import NO_EMBEDDINGS, Embeddings
from pyhexagon.llm.engine.encoder import Encoder
from pyhexagon.llm.engine.engine import Engine
from pyhexagon.llm.engine.engine_core import EngineCore
from pyhexagon.llm.engine.forward import MAX_BATCH_TOKENS
from pyhexagon.llm.engine.local_pipeline import LocalPipeline
from pyhexagon.llm.engine.model import Model, checked
from pyhexagon.llm.engine.speculation import LOOKUP, MTP, Draft, ModelDraft, MTPDraft, draft_name, prompt_lookup
from pyhexagon.llm.engine.stage import Stage, room
from pyhexagon.llm.files.recommended import recommended
from pyhexagon.llm.files.weight_types import WeightType, type_of
from pyhexagon.llm.files.weights import Progress
from pyhexagon.llm.graph.lora import AdaptedFile, LoRA
from pyhexagon.llm.language_model import LanguageModel
from pyhexagon.llm.memory import SessionMemory, check_fits, planned, share_of, used
from pyhexagon.llm.partition import cut, sizes
from pyhexagon.llm.tokens.tokenizer import Tokenizer
from pyhexagon.llm.vision.memory import planned as planned_encoder
from pyhexagon.llm.vision.pulled import pulled_mmproj
from pyhexagon.llm.vision.vision import Vision
from pyhexagon.memory.capacity import ADDRESS_SPACE, host
from pyhexagon.models.hub import download
from pyhexagon.models.store import resolve
from pyhexagon.program.sharing import CPUShare, checked_share
from pyhexagon.version import VERSION

_IMAGES: Final = "images"  # of a saved KV cache: the encoder of its images
_NOT_A_SAVE: Final = (  # what NumPy and zipfile raise for a damaged file
    ValueError, EOFError, NotImplementedError, RuntimeError, zipfile.BadZipFile, zlib.error, struct.error, TokenError,
)  # fmt: skip


class LLM(LanguageModel):
    """A language model from a GGUF file. All its layers run on the DSP: one message computes a decode step.

    Args:
        path: of the GGUF file, or the name of a pulled model, such as "qwen3:0.6b"; nothing is downloaded.
        n_ctx: context length in tokens, for prompt and completion; None: the model's training context, at most 4096.
            More than the training context raises a RuntimeWarning.
        mmproj: path of the model's mmproj file, for messages with images; on the first device. Needs
            ``pyhexagon[vision]``. None: the one that was pulled with the model, if there is one; False: none.
        mmproj_weights: "file": the image encoder's matrices keep the types of the mmproj file; "q8_0": those of floats
            (F32, F16, BF16) become Q8_0 when they are uploaded: half to two thirds of F16's memory and time.
        kv: type of the KV cache, a kind of ``pyhexagon.cache``; None: "q8_0", or "f16" for encoders, which do not
            cache keys and values.
        n_sequences: number of sequences of n_ctx tokens that the KV cache has room for. The engine evicts or preempts
            further ones, and computes them anew when their requests continue.
        n_batch: most tokens of prompts in a message to the DSP, 1 to 64. Fewer let other requests in sooner; the
            completions are the same.
        draft_model: proposes draft tokens for speculative decoding, which changes no completion: a small model with the
            same vocabulary (its path or name, or an LLM, which the caller closes), ``"mtp"`` (the multi-token
            prediction block of the model's own file, on one device), ``"lookup"`` or ``prompt_lookup()``, or any other
            draft of ``pyhexagon.llm.engine.speculation``.
        device: an open device, or the name of one to open; see ``Device``. Of several, such as ``["cdsp", "cdsp1"]`` or
            ``Device.all()``, each holds a part of the layers with their KV cache, and passes its rows to the next one;
            the completions equal one device's. The devices compute at the same time for several sequences or a
            long prompt; a single sequence decodes no faster than on one device.
        lora: LoRA adapters, GGUF files of llama.cpp's convert_lora_to_gguf.py. For all requests: a path, or a list of
            paths and of tuples of a path and the factor on its products. For requests that choose them, with the
            sampling parameter ``lora``: a dict of such paths or tuples by name. The model's weights stay as they are.
        max_sessions: most DSP processes per device that the model may spread over, if the device is opened here.
        cpu_share: part of each matmul's weight rows that the CPU computes beside the DSP, if the device is opened here;
            see ``Device``. It changes no completion. "auto" is what ``pyhexagon tune`` chose for the board, or else 0.
        chat_template: in place of the one in the file: a text, written for Jinja, or the path of a file.
        progress: called repeatedly during loading with the bytes loaded and the total, for each device in turn.

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
        mmproj: str | os.PathLike[str] | Literal[False] | None = None,
        mmproj_weights: WeightType = "file",
        kv: str | None = None,
        n_sequences: int = 1,
        n_batch: int = MAX_BATCH_TOKENS,
        draft_model: LLM | Draft | str | os.PathLike[str] | None = None,
        device: Device | str | Sequence[Device | str] | None = None,
        lora: str | os.PathLike[str] | Sequence[LoRA] | Mapping[str, LoRA] = (),
        max_sessions: int = MAX_SESSIONS,
        cpu_share: CPUShare = "auto",
        chat_template: str | os.PathLike[str] | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.path = resolve(path)
        self._lock = threading.Lock()
        for name, number in (("n_ctx", 1 if n_ctx is None else n_ctx), ("n_sequences", n_sequences)):
            whole_number(name, number, 1, MOST, "1")
        whole_number("max_sessions", max_sessions, 1, MAX_SESSIONS, "1")
        whole_number("n_batch", n_batch, 1, MAX_BATCH_TOKENS, "1")
        type_of(mmproj_weights, "mmproj_weights")  # an early error
        with GGUFFile(self.path) as file, ExitStack() as stack:
            can_run = checked(file, has_mtp=draft_model == MTP)
            self._draft_name = draft_name(draft_model.path if isinstance(draft_model, LLM) else draft_model)
            adapters = [lora] if isinstance(lora, (str, os.PathLike)) else lora
            adapted = stack.enter_context(closing(AdaptedFile(file, can_run[1], adapters)))
            self.tokenizer, self._recommended = Tokenizer(file), recommended(file)
            template = file.metadata.get("tokenizer.chat_template")
            self._template = template if isinstance(template, str) else None
            if chat_template is not None:
                self._template = given_template(chat_template, **self.tokenizer.template_names)
            given = [device] if device is None or isinstance(device, (Device, str)) else list(device)
            if not given:
                raise ArgumentError("device is an empty list: expected one or more devices")
            config, _ = can_run
            n_ctx = min(config.n_ctx, 4096) if n_ctx is None else n_ctx
            is_encoder = config.is_encoder
            kv = kv or ("f16" if is_encoder else "q8_0")
            if draft_model == MTP and len(given) > 1:
                raise UnsupportedError(f"{self.path}: drafts of its MTP block need one device, not {len(given)}")
            if is_encoder and len(given) > 1:
                raise UnsupportedError(f"{self.path} makes embeddings only: one device holds it, not {len(given)}")
            takes_images = not is_encoder and draft_model != MTP
            if mmproj and not takes_images:
                what = "makes embeddings only" if is_encoder else "drafts with its MTP block"
                raise UnsupportedError(f"{self.path} {what}: it takes no images")
            if mmproj is None and takes_images:
                pulled, problem = pulled_mmproj(self.path)
                mmproj = "" if problem else pulled
                if problem:
                    warnings.warn(f"{self.path} takes no images: {problem}", RuntimeWarning, stacklevel=2)
            if is_encoder and adapted.choices:
                raise UnsupportedError(f"{self.path} makes embeddings only: completions choose LoRA adapters by name")
            self._choices = adapted.choices
            beside = [] if is_encoder else room(config, n_ctx, n_sequences=n_sequences, kind=kv)
            most = [
                device._memory.placement.max_sessions if isinstance(device, Device) else max_sessions
                for device in given
            ]
            share = max(
                share_of(device) if isinstance(device, Device) else checked_share(cpu_share) or 0 for device in given
            )
            plan = planned(file, can_run, n_ctx, n_sequences=n_sequences, kind=kv, cpu_share=share)
            if mmproj:
                with GGUFFile(mmproj) as encoder:
                    self.encoder_plan = planned_encoder(encoder, mmproj_weights)
                plan = plan.plus(self.encoder_plan.memory)
            check_fits(plan, os.fspath(path), sum(most))
            parts = [range(config.n_layers)]
            if len(given) > 1:
                layers, fixed = sizes(file, can_run, n_ctx, n_sequences=n_sequences, kind=kv)
                parts = [part for _, part in cut(layers, fixed, [n * ADDRESS_SPACE for n in most], len(given))]
            self._owned: list[Device] = []
            try:
                self._devices = [
                    device if isinstance(device, Device) else self._open(device, max_sessions, cpu_share)
                    for device in given
                ]
                self._models = [
                    Model(device, file, can_run, beside[part.start :], progress, layers=part, adapted=adapted)
                    for device, part in zip(self._devices, parts, strict=True)
                ]
                self._config, self._n_tokens = config, self._models[0].n_tokens
                self._classifier = self._models[-1].classifier
                if is_encoder:
                    self._running = Encoder(self._models[0], n_ctx, kind=kv)
                else:
                    stages = [Stage(model, n_ctx, n_sequences=n_sequences, kind=kv) for model in self._models]
                    pipeline = LocalPipeline(stages, n_ctx, n_sequences=n_sequences) if stages[1:] else stages[0]
                    self._running = Engine(EngineCore[Any](pipeline, n_batch), self._lock, WeakMethod(self._check))
                if mmproj:
                    self._vision = Vision(
                        self.device, mmproj, config, self.tokenizer, progress, weights=mmproj_weights
                    )
                    self.has_vision = True
                    if self._vision.encoder.config.deepstack and len(given) > 1:
                        raise UnsupportedError(f"{self.path}: deepstack needs one device, not {len(given)}")
                if draft_model == MTP:
                    self._draft = MTPDraft(self._engine)
                elif draft_model == LOOKUP:
                    self._draft = prompt_lookup()
                elif isinstance(draft_model, (str, os.PathLike)):
                    self._own_draft = LLM(
                        draft_model, n_ctx, kv=kv, n_sequences=n_sequences, n_batch=n_batch, device=self.device,
                        progress=progress,
                    )  # fmt: skip
                    self._draft = self._as_draft(self._own_draft)
                else:
                    self._draft = self._as_draft(draft_model)
                if n_ctx > config.longest_ctx:
                    longest = f"{self.path} was made for {config.longest_ctx} tokens"
                    warnings.warn(f"n_ctx is {n_ctx}: {longest}, longer texts get worse", RuntimeWarning, stacklevel=2)
            except BaseException:
                if self._own_draft is not None:
                    self._own_draft.close()
                for owned in self._owned:
                    owned.close()
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

    def _open(self, name: str | None, max_sessions: int, cpu_share: CPUShare) -> Device:
        self._owned.append(Device(name, max_sessions=max_sessions, cpu_share=cpu_share))
        return self._owned[-1]

    @property
    def device(self) -> Device:
        """The device that runs the model, or the first one of several."""
        return self._devices[0]

    @property
    def devices(self) -> list[Device]:
        """The devices that run the model, in the order of the layers."""
        return self._devices

    def save(
        self, path: str | os.PathLike[str], prompt: Prompt, *, embeddings: Embeddings = NO_EMBEDDINGS
    ) -> None:
        """Write the KV cache of a prompt to a file, from which ``load`` restores it. Tokens that are not cached are
        computed first.

        Only the file's owner may read it, because it contains the prompt.

        Args:
            path: of the file, in NumPy's npz format; 64 tokens take the bytes of a page of the KV cache.
            prompt: a string, or token ids.
            embeddings: of images in the prompt, see ``chat_prompt``.

        Raises:
            ArgumentError: the prompt is empty or longer than n_ctx.
            UnsupportedError: the model is on several devices.
            HexagonError: the file cannot be written.
        """
        with self._lock:
            self._check()
            saved = dict(self._core.save(self._ids(prompt), embeddings))
        if embeddings.rows and self._vision is not None:
            saved[_IMAGES] = np.array(self._vision.encoder.fingerprint)
        files.save(Path(path), lambda file: np.savez(file, **saved), is_private=True)

    def load(self, path: str | os.PathLike[str]) -> list[int]:
        """Restore a KV cache that ``save`` wrote, for prefix caching, and return the tokens of its prompt; those of
        images are negative.

        Raises:
            ArgumentError: the file cannot be read, ``save`` did not write it, or it is from another model, another type
                of KV cache or, with images, another mmproj file or other ``mmproj_weights``.
            DspMemoryError: the prompt is longer than the KV cache.
            UnsupportedError: the model is on several devices.
        """
        if self._devices[1:]:
            raise UnsupportedError(f"{self.path} is on {len(self._devices)} devices, and load needs one device")
        try:
            with open(path, "rb") as content, np.load(content, allow_pickle=False) as file:
                saved = dict(file)
        except OSError as problem:
            raise ArgumentError(f"{os.fspath(path)} cannot be read: {problem.strerror or problem}") from None
        except _NOT_A_SAVE:  # NumPy would advise to load it unsafely
            raise ArgumentError(f"{os.fspath(path)} is not what LLM.save writes") from None
        encoder = saved.pop(_IMAGES, None)
        if encoder is not None and (self._vision is None or str(encoder) != self._vision.encoder.fingerprint):
            what = "expected the mmproj file with which it was saved, and the same mmproj_weights"
            raise ArgumentError(f"{os.fspath(path)} has images: {what}")
        with self._lock:
            self._check()
            return self._core.load(saved, has_embeddings=encoder is not None)

    def memory(self) -> dict[str, int]:
        """Return the bytes of shared memory that the devices have allocated.

        Returns:
            Bytes of the "model" (weights), the "context" (KV cache and recurrent states) and "compute" (activations,
            messages, free memory of the pool). A draft model that was opened here is included.
        """
        sums = [sum(column) for column in zip(*self._memory(), strict=True)]
        return dict(zip(SessionMemory._fields, sums, strict=True))

    def _memory(self) -> list[SessionMemory]:
        self._check()
        parts = [part for part in (self, self._own_draft) if part is not None]
        weights = [tensor for part in parts for model in part._models for tensor in model.weights.tensors()]
        contexts = [tensor for part in parts for tensor in part._running.tensors()]
        if self._vision is not None:
            weights += self._vision.encoder.weights()
        return [session for device in self._devices for session in used(device, weights, contexts)]

    def report(self) -> dict[str, Any]:
        """Return model, placement, memory and versions for logs and bug reports, as a dict that JSON can represent.

        "layers" counts the output matrix as a layer; "sessions" has the memory of each DSP process, as ``memory``, of
        all "devices" in order; "device" is the first one. "host" is the memory of this process and of the system.
        """
        sessions = [memory._asdict() for memory in self._memory()]
        n_layers = self._config.n_layers + 1
        types = Counter[str]()
        for model in self._models:
            types.update(model.weights.types())
        devices = [asdict(device.info()) for device in self._devices]
        return {
            "model": self.path,
            "architecture": self._config.architecture,
            "types": dict(types),
            "n_ctx": self.n_ctx,
            "n_ctx_train": self._config.longest_ctx,
            "vision": None if self.encoder_plan is None else self.encoder_plan.facts(),
            "kv": self._kv,
            "layers": n_layers,
            "layers_on_the_dsp": n_layers,
            "memory": self.memory(),
            "sessions": sessions,
            "host": host()._asdict(),
            "device": devices[0],
            "devices": devices,
            "version": VERSION,
        }

    def reserve(self) -> None:
        """As ``LanguageModel.reserve``, for the draft model as well if it was opened here."""
        super().reserve()
        if self._own_draft is not None:
            self._own_draft.reserve()

    @property
    def work(self) -> tuple[int, float]:
        """As ``LanguageModel.work``, with the messages of the draft model if it was opened here."""
        parts = [super().work] if self._own_draft is None else [super().work, self._own_draft.work]
        return sum(part[0] for part in parts), sum(part[1] for part in parts)

    # --- Life ---

    def close(self) -> None:
        """Free the memory, and close the devices that this object opened. Again is a no-op."""
        interrupts.finish(self._close)

    def _close(self) -> None:
        with self._lock:
            self._is_open = False  # the rest can be done twice, after Ctrl-C
            if self._own_draft is not None:
                self._own_draft.close()
            if len(self._owned) < len(self._devices) or self._owned[1:]:  # else the device frees the memory
                if self._vision is not None:
                    self._vision.close()
                self._running.close()
                for model in self._models:
                    model.weights.close()
            for device in self._owned:
                device.close()

    def _as_draft(self, draft: LLM | Draft | None) -> Draft | None:
        if not isinstance(draft, LLM):
            return draft
        here, there = self.tokenizer, draft.tokenizer
        names = ([tokenizer.name(token) for token in range(tokenizer.n_tokens)] for tokenizer in (here, there))
        if next(names) != next(names):
            raise ArgumentError(f"the draft {draft.path} has another vocabulary than {self.path}")
        return ModelDraft(draft._engine)
