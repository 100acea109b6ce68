# SPDX-License-Identifier: MIT
"""What users open: a language model that continues texts."""

from __future__ import annotations

import os
import threading
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from pyhexagon.device import Device
from pyhexagon.errors import ArgumentError, ClosedError, HexagonError, UnsupportedError
from pyhexagon.gguf_file import GGUFFile
from pyhexagon.llm import sampling
from pyhexagon.llm.model import Context, Model, checked
from pyhexagon.llm.sampling import Processor, Sampler, biased, log_probabilities, penalised
from pyhexagon.llm.stopping import Stop
from pyhexagon.llm.templates import ChatTemplate, Message
from pyhexagon.llm.tokenizer import Tokenizer
from pyhexagon.llm.weights import Progress
from pyhexagon.unique import Unique

Prompt = str | Sequence[int]
FinishReason = Literal["stop", "length"]


@dataclass(frozen=True)
class Part:
    """What one token adds.

    Attributes:
        text: that it completes; it never ends within a character.
        token: its id.
        logprob: of the token, in the model's own distribution: before processors and temperature.
        finish_reason: of the last part: "stop" (the model or a stop text ended it) or "length"; None of all others.
    """

    text: str
    token: int
    logprob: float
    finish_reason: FinishReason | None


@dataclass(frozen=True)
class Generation:
    """A text that was generated.

    Attributes:
        prompt_tokens, tokens: ids; the end's among them.
        prompt_seconds: until the first token was there.
        generation_seconds: for the others.
    """

    text: str
    prompt_tokens: tuple[int, ...]
    tokens: tuple[int, ...]
    logprobs: tuple[float, ...]
    finish_reason: FinishReason
    prompt_seconds: float
    generation_seconds: float


class LLM(Unique):
    """A language model from a GGUF file, whole on the DSP: one message there for each token.

    Args:
        path: of the file.
        n_ctx: how many tokens a text may have, prompt and answer; None takes what the model was made for, at most 4096.
        device: an open one, or the name of one to open; see ``Device``.
        progress: called now and then with the bytes loaded and the bytes in all.

    Raises:
        UnsupportedError: the model cannot be run here; the message lists all reasons. Or ``pyhexagon[llm]`` is missing.
        GGUFError: the file is not usable.
        DspMemoryError: model and cache do not fit.
        DeviceNotFoundError, SkelLoadError: as ``Device``.

    Any thread may use it; streams may take turns. Close it, or use it in a ``with`` statement.
    """

    instead = "share one between threads"
    _is_open = False

    def __init__(
        self,
        path: str | os.PathLike[str],
        n_ctx: int | None = None,
        *,
        device: Device | str | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.path = os.fspath(path)
        self._lock = threading.Lock()
        with GGUFFile(path) as file:
            self._tokenizer = Tokenizer(file)
            template = file.metadata.get("tokenizer.chat_template")
            self._template = template if isinstance(template, str) else None
            can_run = checked(file)
            self._owns_device = not isinstance(device, Device)
            self._device = device if isinstance(device, Device) else Device(device)
            try:
                self._model = Model(self._device, file, can_run, progress)
                n_ctx = min(self._model.config.n_ctx, 4096) if n_ctx is None else n_ctx
                self._context = Context(self._model, n_ctx)
            except BaseException:
                if self._owns_device:
                    self._device.close()
                raise
        self._is_open = True

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
        return self._context.n_ctx

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
        processors: Sequence[Processor] = (),
        sampler: Sampler | None = None,
    ) -> Iterator[Part]:
        """Continues a text, token by token. Closing the iterator half-way ends it.

        Args:
            prompt: a text, or ids of tokens.
            max_tokens: ends after so many; None goes on until the model ends it, or n_ctx is reached.
            temperature, top_k, top_p, min_p, seed: see ``pyhexagon.llm.sampling.sampler``; temperature 0 is greedy.
            repeat_penalty, frequency_penalty, presence_penalty: see ``pyhexagon.llm.sampling.penalised``.
            stop: texts that end it, and are not part of it.
            logit_bias: what is added to the logits of tokens.
            processors: more functions of tokens and logits, applied last.
            sampler: in place of the one that temperature, top_k, top_p, min_p and seed make.

        Raises:
            ArgumentError: the prompt is empty or does not fit; or a number is out of range.
            DspTimeoutError, DeviceLostError: as ``Device.matmul``; after ``device.reopen()`` it goes on as if nothing
                had happened.
        """
        tokens = self._ids(prompt)
        n_most = self.n_ctx - len(tokens) if max_tokens is None else max_tokens
        if n_most < 1:
            raise ArgumentError(
                f"{len(tokens)} tokens of prompt, max_tokens {max_tokens} and n_ctx {self.n_ctx}: nothing can be added"
            )
        if sampler is None:
            sampler = sampling.sampler(temperature, top_k=top_k, top_p=top_p, min_p=min_p, seed=seed)
        chain = list(processors)
        if (repeat_penalty, frequency_penalty, presence_penalty) != (1, 0, 0):
            chain.insert(0, penalised(repeat=repeat_penalty, frequency=frequency_penalty, presence=presence_penalty))
        if logit_bias:
            chain.insert(0, biased(logit_bias))
        return self._parts(tokens, min(n_most, self.n_ctx - len(tokens)), sampler, chain, Stop(stop))

    def generate(
        self, prompt: Prompt, max_tokens: int | None = None, temperature: float = 0.8, **more: Any
    ) -> Generation:
        """As ``stream``, all at once."""
        ids = self._ids(prompt)
        start = now = time.perf_counter()
        first = 0.0
        parts: list[Part] = []
        for part in self.stream(ids, max_tokens, temperature, **more):
            parts.append(part)
            now = time.perf_counter()
            first = first or now - start
        return Generation(
            text="".join(part.text for part in parts),
            prompt_tokens=tuple(ids),
            tokens=tuple(part.token for part in parts),
            logprobs=tuple(part.logprob for part in parts),
            finish_reason=parts[-1].finish_reason or "length",
            prompt_seconds=first,
            generation_seconds=now - start - first,
        )

    def chat(
        self,
        messages: Sequence[Message],
        max_tokens: int | None = None,
        temperature: float = 0.8,
        *,
        tools: Sequence[Mapping[str, Any]] | None = None,
        **more: Any,
    ) -> Iterator[Part]:
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
        with self._lock:
            self._check()
            return self._context.all_logits(list(tokens))

    def memory(self) -> dict[str, int]:
        """Bytes in DSP memory: of the "model", the "context" (the cache), and for what is computed ("compute")."""
        self._check()
        model, context = self._model.nbytes, self._context.nbytes
        return {"model": model, "context": context, "compute": self._device.info().memory_bytes - model - context}

    # --- Life ---

    def close(self) -> None:
        """Gives its memory back, and closes the device if it opened it. Again is a no-op."""
        with self._lock:
            if not self._is_open:
                return
            self._is_open = False
            if self._owns_device:
                self._device.close()
            else:
                self._context.close()
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

    def _check(self) -> None:
        if not self._is_open:
            raise ClosedError(f"{self!r} cannot be used")

    def _ids(self, prompt: Prompt) -> list[int]:
        return self._tokenizer.encode(prompt) if isinstance(prompt, str) else [int(token) for token in prompt]

    def _logits(self, tokens: Sequence[int]) -> npt.NDArray[np.float32]:
        with self._lock:
            self._check()
            return self._context.logits(tokens)

    def _parts(
        self, tokens: list[int], n_most: int, draw: Sampler, chain: Sequence[Processor], stop: Stop
    ) -> Iterator[Part]:
        decoder = self._tokenizer.decoder(after=tokens)
        for n_left in reversed(range(n_most)):
            logits = self._logits(tokens)
            logprobs = log_probabilities(logits)
            for process in chain:
                logits = process(tokens, logits)
            token = draw(logits)
            tokens.append(token)
            is_end = token in self._tokenizer.ends
            text = stop.add(decoder.add(token))
            if (is_end or not n_left) and not stop.is_there:
                text += stop.add(decoder.rest())
                text += "" if stop.is_there else stop.rest()
            reason: FinishReason | None = "stop" if is_end or stop.is_there else None if n_left else "length"
            yield Part(text, token, float(logprobs[token]), reason)
            if reason is not None:
                return
