# SPDX-License-Identifier: MIT
"""What users open: a language model that continues texts."""

from __future__ import annotations

import os
import threading
import warnings
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pyhexagon import files
from pyhexagon.arguments import whole_number
from pyhexagon.device import MAX_SESSIONS, Device
from pyhexagon.errors import ArgumentError, ClosedError, HexagonError, UnsupportedError
from pyhexagon.gguf_file import GGUFFile
from pyhexagon.llm import sampling
from pyhexagon.llm.architectures import ARCHITECTURES
from pyhexagon.llm.batch import Batch
from pyhexagon.llm.context import Context
from pyhexagon.llm.encoder import Encoder, pooled
from pyhexagon.llm.engine import Engine
from pyhexagon.llm.generation import ENDLESS, Generation, How, Stream, all_gathered, course, gathered, scored
from pyhexagon.llm.grammar import Grammars
from pyhexagon.llm.hub import download
from pyhexagon.llm.memory import SessionMemory, check_fits, planned, used
from pyhexagon.llm.model import Model, checked
from pyhexagon.llm.sampling import Processor, Sampler, biased, penalised
from pyhexagon.llm.speculation import NUM_DRAFT_TOKENS, Draft, ModelDraft
from pyhexagon.llm.stage import Stage, room
from pyhexagon.llm.stopping import Stop
from pyhexagon.llm.templates import ChatTemplate, Message
from pyhexagon.llm.texts import token_ids
from pyhexagon.llm.tokenizer import Tokenizer
from pyhexagon.llm.weights import Progress
from pyhexagon.unique import Unique
from pyhexagon.version import VERSION

Prompt = str | Sequence[int]
_MOST: Final = (1 << 31) - 1  # tokens, texts
_MOST_LIKELIEST: Final = 64  # tokens that are picked on the DSP; samplers that look at more get all logits


class LLM(Unique):
    """A language model from a GGUF file, whole on the DSP: one message there for each token.

    Args:
        path: of the file.
        n_ctx: how many tokens a text may have, prompt and answer; None takes what the model was made for, at most 4096.
        kv: how keys and values are kept, a kind of ``pyhexagon.cache``; None takes "q8_0", or "f16" where they are not
            kept from one text to the next.
        n_sequences: for how many texts of that length there is room. Others are computed anew when they go on.
        draft_model: guesses tokens, which takes fewer messages and changes no answer: a small model with the same
            vocabulary (its path, or an LLM, which is not closed with this one), ``prompt_lookup()``, or any other
            function of ``pyhexagon.llm.speculation``.
        device: an open one, or the name of one to open; see ``Device``.
        max_sessions: how many DSP processes the model may spread over, if the device is opened here.
        progress: called now and then with the bytes loaded and the bytes in all.

    Raises:
        UnsupportedError: the model cannot be run here; the message lists all reasons. Or ``pyhexagon[llm]`` is missing.
        ArgumentError: a number that is out of range; or the draft has another vocabulary.
        GGUFError: the file is not usable.
        DspMemoryError: model and cache do not fit.
        DeviceNotFoundError, SkelLoadError: as ``Device``.

    Any thread may use it; streams may take turns. Close it, or use it in a ``with`` statement.
    """

    instead = "share one between threads"
    _is_open = False
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
        self.path = os.fspath(path)
        self._lock = threading.Lock()
        for name, number in (("n_ctx", 1 if n_ctx is None else n_ctx), ("n_sequences", n_sequences)):
            whole_number(name, number, 1, _MOST, "1")
        whole_number("max_sessions", max_sessions, 1, MAX_SESSIONS, "1")
        with GGUFFile(path) as file:
            self._tokenizer = Tokenizer(file)
            template = file.metadata.get("tokenizer.chat_template")
            self._template = template if isinstance(template, str) else None
            can_run = checked(file)
            self._owns_device = not isinstance(device, Device)
            config, _ = can_run
            n_ctx = min(config.n_ctx, 4096) if n_ctx is None else n_ctx
            is_encoder = ARCHITECTURES[config.architecture].traits.is_encoder
            kv = kv or ("f16" if is_encoder else "q8_0")
            beside = [] if is_encoder else room(config, n_ctx, n_texts=n_sequences, kind=kv)
            n_most = device.memory.placement.max_sessions if isinstance(device, Device) else max_sessions
            check_fits(planned(file, can_run, n_ctx, n_texts=n_sequences, kind=kv), self.path, n_most)
            self._device = device if isinstance(device, Device) else Device(device, max_sessions=max_sessions)
            try:
                self._model = Model(self._device, file, can_run, beside, progress)
                self._running: Encoder | Batch
                if is_encoder:
                    self._running = Encoder(self._model, n_ctx, kind=kv)
                else:
                    context = Context(Stage(self._model, n_ctx, n_texts=n_sequences, kind=kv))
                    self._running = Batch(context, self._lock, self._check)
                if isinstance(draft_model, (str, os.PathLike)):
                    draft_model = self._own_draft = LLM(
                        draft_model, n_ctx, kv=kv, n_sequences=n_sequences, device=self._device, progress=progress
                    )
                self._draft = self._as_draft(draft_model)
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
        """A model of the Hugging Face hub, which is downloaded once.

        Args:
            repo: such as "Qwen/Qwen3-0.6B-GGUF".
            filename: in the repository, or a pattern such as "*Q4_0.gguf" that one model matches.
            revision: a branch, a tag or a commit.
            **more: as for ``LLM``.

        Raises:
            HexagonError: it cannot be had; and as ``LLM``.
        """
        return cls(download(repo, filename, revision=revision), **more)

    @cached_property
    def _grammars(self) -> Grammars:
        return Grammars(self._tokenizer)

    @property
    def tokenizer(self) -> Tokenizer:
        """Texts to tokens and back."""
        return self._tokenizer

    @property
    def device(self) -> Device:
        """Where it runs."""
        return self._device

    @property
    def n_ctx(self) -> int:
        """How many tokens a text may have."""
        return self._running.n_ctx

    @property
    def closed(self) -> bool:
        """Whether ``close`` was called."""
        return not self._is_open

    def stream(
        self,
        prompt: Prompt,
        max_tokens: int | None = None,
        temperature: float = 0.8,
        *,
        top_k: int = 40,
        top_p: float = 0.95,
        min_p: float = 0.05,
        repeat_penalty: float = 1.0,
        frequency_penalty: float = 0.0,
        presence_penalty: float = 0.0,
        stop: str | Iterable[str] = (),
        seed: int | None = None,
        logit_bias: Mapping[int, float] | None = None,
        grammar: str | None = None,
        json_schema: Mapping[str, Any] | str | None = None,
        processors: Sequence[Processor] = (),
        sampler: Sampler | None = None,
        num_draft_tokens: int = NUM_DRAFT_TOKENS,
        context_shift: bool = False,
        n_keep: int = 0,
        n_likeliest: int = 0,
    ) -> Stream:
        """Continues a text, token by token. Closing the iterator half-way ends it.

        Args:
            prompt: a text, or ids of tokens.
            max_tokens: ends after so many; None goes on until the model ends it, or n_ctx is reached (unless
                context_shift).
            temperature, top_k, top_p, min_p, seed: see ``pyhexagon.llm.sampling.sampler``; temperature 0 is greedy.
            repeat_penalty, frequency_penalty, presence_penalty: see ``pyhexagon.llm.sampling.penalised``.
            stop: texts that end it, and are not part of it.
            logit_bias: what is added to the logits of tokens.
            grammar, json_schema: what the answer must follow; see ``pyhexagon.llm.grammar.Grammars.processor``.
            processors: more functions of tokens and logits, applied last.
            sampler: in place of the one that temperature, top_k, top_p, min_p and seed make.
            num_draft_tokens: how many tokens the draft guesses at once, at most; 0: none. After wrong guesses it is
                twice as many as were right, and one.
            context_shift: at n_ctx, the text goes on without the older half of what the model saw. The other half is
                computed anew, so that the answer is that to the shortened text, to the bit.
            n_keep: so many of the first tokens stay; a token that begins each text does in any case.
            n_likeliest: how many tokens ``Part.likeliest`` tells of, 0 to 64.

        Raises:
            ArgumentError: the prompt is empty or does not fit; or a number is out of range.
            DspTimeoutError, DeviceLostError: as ``Device.matmul``; after ``device.reopen()`` it goes on as if nothing
                had happened.
        """
        tokens = self._ids(prompt)
        whole_number("max_tokens", 1 if max_tokens is None else max_tokens, 1, _MOST, "1")
        whole_number("num_draft_tokens", num_draft_tokens, 0, _MOST, "0")
        whole_number("n_keep", n_keep, 0, len(tokens), "0")
        whole_number("n_likeliest", n_likeliest, 0, _MOST_LIKELIEST, "0")
        n_left = self._batch.n_ctx - len(tokens)
        if context_shift and n_left > 0:
            n_left = ENDLESS
        n_most = n_left if max_tokens is None else min(max_tokens, n_left)
        if n_most < 1:
            raise ArgumentError(
                f"{len(tokens)} tokens of prompt, max_tokens {max_tokens} and n_ctx {self.n_ctx}: nothing can be added"
            )
        n_top = 0
        if sampler is None:
            n_top = 1 if temperature == 0 else min(top_k, self._model.n_tokens) if top_k <= _MOST_LIKELIEST else 0
            sampler = sampling.sampler(temperature, top_k=top_k, top_p=top_p, min_p=min_p, seed=seed)
        chain = list(processors)
        if (repeat_penalty, frequency_penalty, presence_penalty) != (1, 0, 0):
            chain.insert(0, penalised(repeat=repeat_penalty, frequency=frequency_penalty, presence=presence_penalty))
        if logit_bias:
            chain.insert(0, biased(logit_bias))
        if grammar is not None or json_schema is not None:
            chain.append(self._grammars.processor(grammar=grammar, json_schema=json_schema))
        n_keep = max(n_keep, int(tokens[:1] == [self._tokenizer.bos]))
        n_top = 0 if chain or not n_top else min(max(n_top, n_likeliest), self._model.n_tokens)
        how = How(
            n_most, Stop(stop), sampler, chain, n_top, self._draft, num_draft_tokens, n_keep, n_likeliest
        )  # fmt: skip
        return Stream(course(self._batch, self._tokenizer, tokens, how))

    def generate(
        self, prompt: Prompt, max_tokens: int | None = None, temperature: float = 0.8, **more: Any
    ) -> Generation:
        """As ``stream``, all at once."""
        ids = self._ids(prompt)
        return gathered(ids, self.stream(ids, max_tokens, temperature, **more))

    def generate_all(
        self, prompts: Sequence[Prompt], max_tokens: int | None = None, temperature: float = 0.8, **more: Any
    ) -> list[Generation]:
        """As ``generate`` for each of several prompts, which share messages: together they take much less time.

        Each gets what it would get alone, to the bit. Those for which there is no room beside others
        (``n_sequences``) wait.
        """
        texts = [self._ids(prompt) for prompt in prompts]
        return all_gathered(
            self.engine(), texts, [self.stream(ids, max_tokens, temperature, **more).course for ids in texts]
        )

    def scored(self, prompt: Prompt, n_likeliest: int = 0, *, is_all: bool = True) -> Stream:
        """What the model thinks of each token of a text after those before it: parts whose texts make up the prompt.

        The first one's ``logprob`` is not a number.

        Args:
            prompt: a text, or ids of tokens.
            n_likeliest: as for ``stream``.
            is_all: whether the last part has a ``finish_reason``.

        Raises:
            ArgumentError: the prompt is empty or does not fit.
        """
        tokens = self._ids(prompt)
        whole_number("n_likeliest", n_likeliest, 0, _MOST_LIKELIEST, "0")
        self._batch.context.check(tokens)
        return Stream(scored(self._batch, self._tokenizer, tokens, n_likeliest, is_all=is_all))

    def engine(self) -> Engine[Any]:
        """For texts that come and go: it takes the ``course`` of what ``stream``, ``chat`` and ``scored`` give."""
        return Engine(None if isinstance(self._running, Encoder) else self._running)

    def chat(
        self,
        messages: Sequence[Message],
        max_tokens: int | None = None,
        temperature: float = 0.8,
        *,
        tools: Sequence[Mapping[str, Any]] | None = None,
        **more: Any,
    ) -> Stream:
        """The answer to a conversation, token by token.

        Args:
            messages: each with a "role" and "content".
            tools: what the model may call, as JSON schemas; for templates that know them.
            max_tokens, temperature, **more: as ``stream``.

        Raises:
            UnsupportedError: the file has no chat template.
            ArgumentError: the template does not take these messages.
        """
        prompt = self.apply_template(messages, tools=tools)
        return self.stream(self._tokenizer.encode(prompt, add_special=False), max_tokens, temperature, **more)

    def apply_template(self, messages: Sequence[Message], *, tools: Sequence[Mapping[str, Any]] | None = None) -> str:
        """The text of a conversation, as the model's own template has it, up to where the answer begins."""
        if self._template is None:
            raise UnsupportedError(f"{self.path} has no chat template")
        named = {"bos_token": self._tokenizer.bos, "eos_token": self._tokenizer.eos}
        names = {name: "" if one is None else self._tokenizer.name(one) for name, one in named.items()}
        return ChatTemplate(self._template, **names).render(messages, tools=tools)

    def logits(self, tokens: Sequence[int]) -> npt.NDArray[np.float32]:
        """What may follow each beginning of a text: (T, V) float32, row t of tokens 0 to t."""
        ids = token_ids(tokens)
        with self._lock:
            self._check()
            return self._context.all_logits(ids)

    @property
    def can_embed(self) -> bool:
        """Whether the model says how tokens become an embedding."""
        return self._model.config.pooling is not None

    def embed(self, texts: Iterable[Prompt]) -> npt.NDArray[np.float32]:
        """What texts mean: (n, width) float32, each row of length 1. Similar texts have a large product.

        How rows of tokens become one is the model's own: their mean, or that of the first or the last token.

        Args:
            texts: texts, or ids of tokens.

        Raises:
            UnsupportedError: the model is none for embeddings.
            ArgumentError: a text has no tokens, or more than n_ctx.
        """
        pooling = self._model.config.pooling
        if pooling is None:
            raise UnsupportedError(f"{self.path} does not say how tokens become an embedding: pooling_type")
        if isinstance(texts, str):
            raise ArgumentError(f"texts is {texts!r}: expected several, such as [{texts!r}]")
        ids = [self._ids(text) for text in texts]
        with self._lock:
            self._check()
            running = self._running
            rows = running.rows(ids) if isinstance(running, Encoder) else [running.context.rows(one) for one in ids]
        return pooled(rows, pooling, self._model.config.width)

    def save(self, path: str | os.PathLike[str], prompt: Prompt) -> None:
        """Writes what the cache holds of a text, so that ``load`` need not compute it; what is missing is computed.

        Args:
            path: of a file, in NumPy's npz format; 64 tokens take what a page of the cache does.
            prompt: a text, or ids of tokens.

        Raises:
            ArgumentError: the text is empty or does not fit.
            HexagonError: the file cannot be written.
        """
        with self._lock:
            self._check()
            saved = self._context.save(self._ids(prompt))
        files.save(Path(path), lambda file: np.savez(file, **saved))

    def load(self, path: str | os.PathLike[str]) -> list[int]:
        """Reads what ``save`` wrote: a prompt that begins with its tokens, which are given, goes on from there.

        Raises:
            ArgumentError: the file is none, or of another model or another kind of cache.
            DspMemoryError: the text is longer than there is room for.
        """
        try:
            with open(path, "rb") as content, np.load(content, allow_pickle=False) as file:
                saved = dict(file)
        except OSError as problem:
            raise ArgumentError(f"{os.fspath(path)} cannot be read: {problem.strerror or problem}") from None
        except (ValueError, zipfile.BadZipFile, EOFError):  # NumPy would advise to load it unsafely
            raise ArgumentError(f"{os.fspath(path)} is not what LLM.save writes") from None
        with self._lock:
            self._check()
            return self._context.load(saved)

    @property
    def work(self) -> tuple[int, float]:
        """Messages that the DSP has answered so far for texts that go on, and the seconds it had them, as seen here."""
        one = self._running
        return (0, 0.0) if isinstance(one, Encoder) else (one.context.n_messages, one.context.busy_seconds)

    def memory(self) -> dict[str, int]:
        """Bytes of shared memory that the device has allocated: for the "model", for the "context" (its cache), and for
        what is computed ("compute"), messages and what is free in the pool among it. A draft that was opened here
        counts with the model."""
        sums = [sum(column) for column in zip(*self._memory(), strict=True)]
        return dict(zip(SessionMemory._fields, sums, strict=True))

    def _memory(self) -> list[SessionMemory]:
        self._check()
        parts = [one for one in (self, self._own_draft) if one is not None]
        weights = [tensor for one in parts for tensor in one._model.weights.tensors()]
        return used(self._device, weights, [tensor for one in parts for tensor in one._running.tensors()])

    def report(self) -> dict[str, Any]:
        """What runs where, for people and for bug reports; it can be written as JSON.

        "layers" counts the output matrix as one; "sessions" has the memory of each DSP process, as ``memory``.
        """
        sessions = [one._asdict() for one in self._memory()]
        n_layers = self._model.config.n_layers + 1
        return {
            "model": self.path,
            "architecture": self._model.config.architecture,
            "types": self._model.weights.types(),
            "n_ctx": self.n_ctx,
            "n_ctx_train": self._model.config.n_ctx,
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
        """Gives its memory back, and closes the device if it opened it. Again is a no-op."""
        with self._lock:
            if not self._is_open:
                return
            self._is_open = False
            if self._own_draft is not None:
                self._own_draft.close()
            if self._owns_device:
                self._device.close()
            else:
                self._running.close()
                self._model.weights.close()

    def __enter__(self) -> LLM:
        self._check()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        try:
            self.close()
        except HexagonError as problem:
            if error is None:
                raise
            warnings.warn(f"{self!r} was not closed well: {problem}", RuntimeWarning, stacklevel=2)

    def __repr__(self) -> str:
        return f"<LLM {self.path}{' closed' if self.closed else ''}>"

    def _as_draft(self, draft: LLM | Draft | None) -> Draft | None:
        if not isinstance(draft, LLM):
            return draft
        here, there = self._tokenizer, draft.tokenizer
        names = ([one.name(token) for token in range(one.n_tokens)] for one in (here, there))
        if next(names) != next(names):
            raise ArgumentError(f"the draft {draft.path} has another vocabulary than {self.path}")
        return ModelDraft(draft._batch)

    def _check(self) -> None:
        if not self._is_open:
            raise ClosedError(f"{self!r} cannot be used")

    @property
    def _batch(self) -> Batch:
        if isinstance(self._running, Encoder):
            raise UnsupportedError(f"{self.path} makes embeddings only", hint="LLM.embed")
        return self._running

    @property
    def _context(self) -> Context[Any]:
        return self._batch.context

    def _ids(self, prompt: Prompt) -> list[int]:
        return self._tokenizer.encode(prompt) if isinstance(prompt, str) else token_ids(prompt)

    def _logits(self, tokens: Sequence[int]) -> npt.NDArray[np.float32]:
        return self._batch.logits(tokens)
