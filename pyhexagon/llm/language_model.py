# SPDX-License-Identifier: MIT
"""``LanguageModel``: the interface of models on one device (``LLM``) and of pipelines over several boards."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property, partial
from itertools import chain
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from pyhexagon.arguments import whole_number
from pyhexagon.errors import ArgumentError, HexagonError, UnsupportedError
from pyhexagon.llm.chat.harmony import Harmony
from pyhexagon.llm.chat.host_model import rendered
from pyhexagon.llm.chat.reasoning import Thinking, format_of
from pyhexagon.llm.chat.templates import Message
from pyhexagon.llm.chat.thinking import ThinkingBudget
from pyhexagon.llm.chat.turns import UserTurns
from pyhexagon.llm.embedding_model import EmbeddingModel, Prompt
from pyhexagon.llm.engine.decoding import UNLIMITED, DecodeConfig, completion, prompt_logprobs
from pyhexagon.llm.engine.dry import SequenceBreakers
from pyhexagon.llm.engine.embeddings import NO_EMBEDDINGS, Embeddings
from pyhexagon.llm.engine.encoder import Encoder
from pyhexagon.llm.engine.engine import Engine
from pyhexagon.llm.engine.forward import MAX_TOP_LOGITS, token_ids
from pyhexagon.llm.engine.generation import Generation, ReasoningParser, Steps
from pyhexagon.llm.engine.grammar import Grammars
from pyhexagon.llm.engine.request import Request
from pyhexagon.llm.engine.sampling_chain import processors_of, sampler_of
from pyhexagon.llm.engine.sampling_params import NOTHING, SamplingParams, shown_defaults, with_defaults
from pyhexagon.llm.engine.sequence import Salt
from pyhexagon.llm.engine.speculation import Draft, MTPDraft
from pyhexagon.llm.engine.stopping import Stop
from pyhexagon.llm.engine.streaming import Stream, collect, collect_all
from pyhexagon.llm.graph.lora import NO_CHOICES, Choice, LoRAChoice, chosen
from pyhexagon.llm.tokens.tokenizer import Tokenizer
from pyhexagon.llm.vision.messages import MARK, cut, has_images
from pyhexagon.llm.vision.pictures import picture_of
from pyhexagon.llm.vision.vision import Vision

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

_LEAST_TURN: Final = 64  # tokens: to compute a shorter prompt again costs one message
MOST: Final = (1 << 31) - 1  # tokens, sequences


class Computing(Protocol):
    """The device or the boards that run a model."""

    name: str

    @property
    def lost(self) -> str:
        """Why the device needs ``reopen``; empty if it does not."""

    def reopen(self) -> None:
        """Make a lost device usable again. KV caches are lost."""


class LanguageModel(EmbeddingModel):
    """Completions, chat, logits and embeddings of a model; the base class of ``LLM`` and ``Pipeline``.

    Attributes:
        has_vision: whether messages may have images: the model has an mmproj file.
    """

    has_vision = False
    _instead = "share one between threads"
    _template: str | None
    _n_tokens: int
    _draft: Draft | MTPDraft | None = None
    _draft_name = ""
    _vision: Vision | None = None
    _choices: Mapping[str, Choice] = NO_CHOICES
    _recommended: Mapping[str, Any] = NOTHING  # sampling parameters, by the model's file

    @property
    def adapters(self) -> list[str]:
        """The names of the LoRA adapters that requests can choose, in the order in which they were given."""
        return list(self._choices)

    @property
    def chat_template(self) -> str | None:
        """The chat template of the model's file, written for Jinja, or None."""
        return self._template

    @property
    def sampling_defaults(self) -> dict[str, Any]:
        """The sampling parameters of requests that give none: those that the model's file recommends
        (``general.sampling.*``), and pyhexagon's for the others."""
        return shown_defaults(self._recommended)

    @property
    def draft_name(self) -> str:
        """Name of the draft model: its file without the ending, "mtp" or "lookup"; empty without speculation."""
        return self._draft_name

    @property
    @abstractmethod
    def device(self) -> Computing:
        """The device or the boards that run the model."""

    @property
    def devices(self) -> Sequence[Computing]:
        """All devices that run the model; the boards of a cluster count as one."""
        return [self.device]

    @property
    def device_name(self) -> str:
        """The names of the devices, separated by commas."""
        return ",".join(device.name for device in self.devices)

    @property
    def lost(self) -> str:
        """Why the model needs ``reopen``; empty if it does not."""
        for device in self.devices:
            if reason := device.lost:
                return reason
        return ""

    def reopen(self) -> None:
        """Make the devices that were lost usable again; requests can be repeated. KV caches are lost."""
        for device in self.devices:
            device.reopen()

    @abstractmethod
    def memory(self) -> dict[str, int]:
        """Return the bytes of shared memory of the "model", the "context" and "compute"; see ``LLM.memory``."""

    @abstractmethod
    def close(self) -> None:
        """Free memory and devices. Again is a no-op."""

    @cached_property
    def _grammars(self) -> Grammars:
        return Grammars(self._tokenizer)

    @cached_property
    def _turns(self) -> UserTurns:
        return UserTurns(self._template, self._tokenizer)

    @cached_property
    def _breakers(self) -> SequenceBreakers:
        return SequenceBreakers(self._tokenizer)

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer of the model."""
        return self._tokenizer

    @property
    def n_ctx(self) -> int:
        """Context length in tokens: prompt and completion of a sequence."""
        return self._running.n_ctx

    @property
    def closed(self) -> bool:
        """Whether ``close`` was called."""
        return not self._is_open

    def stream(
        self,
        prompt: Prompt,
        max_tokens: int | None = None,
        temperature: float | None = None,
        *,
        embeddings: Embeddings = NO_EMBEDDINGS,
        **sampling: Unpack[SamplingParams],
    ) -> Stream:
        """Return an iterator of the chunks of a completion. Closing it early ends the request.

        Args:
            prompt: a string, or token ids.
            embeddings: of images in the prompt, see ``chat_prompt``.
            max_tokens: of the completion; None: until the model ends it, or n_ctx is reached (unless context_shift).
            temperature: of the sampler; 0 is greedy. None: what the model's file recommends, else 0.8.
            **sampling: further sampling parameters, see ``pyhexagon.llm.SamplingParams``.

        Raises:
            ArgumentError: the prompt is empty or does not fit; a number is out of range; or there is no sampling
                parameter of that name.
            DspTimeoutError, DeviceLostError: as ``Device.matmul``; after ``reopen()`` the stream resumes, and gives the
                same tokens.
        """
        return Stream(self._request(prompt, max_tokens, temperature, sampling, embeddings))

    def _request(
        self,
        prompt: Prompt,
        max_tokens: int | None,
        temperature: float | None,
        sampling: Mapping[str, Any],
        embeddings: Embeddings = NO_EMBEDDINGS,
    ) -> Request:
        given = sampling if temperature is None else {**sampling, "temperature": temperature}
        return self.prepare(Request(self._ids(prompt), max_tokens, given, embeddings=embeddings))

    def prepare(self, request: Request) -> Request:
        """Validate a request, give it its steps, and return it.

        A grammar may take long to compile. No message is sent to the DSP.

        Raises:
            ArgumentError: as ``stream``.
        """
        if request.texts:
            request.steps = self._embeddings(request.texts)
            return request
        given, n_logprobs = request.sampling, request.prompt_logprobs
        is_all = n_logprobs is not None and request.max_tokens == 0
        if not is_all:
            tokens = self._ids(request.tokens)
            config = self._config_of(tokens, request.max_tokens, given)
            if request.embeddings.rows:  # drafts know no images
                config = replace(config, embeddings=request.embeddings, draft=None)
            request.steps = completion(self._engine, self._tokenizer, tokens, config)
        if n_logprobs is not None:
            salt = given.get("cache_salt", ""), chosen(self._choices, given.get("lora"))
            of_prompt = self._prompt_steps(self._ids(request.tokens), n_logprobs, salt, is_all=is_all)
            request.steps = of_prompt if is_all else chain(of_prompt, request.steps)
        return request

    def _embeddings(self, texts: Sequence[Sequence[int]]) -> Iterator[Any]:
        yield from self.embed(texts)

    def _config_of(self, tokens: list[int], max_tokens: int | None, given: Mapping[str, Any]) -> DecodeConfig:
        """Return validated sampling parameters. With a grammar, the end of reasoning may be appended to ``tokens``."""
        params = with_defaults(given, self._recommended)
        n_keep, n_logprobs = params["n_keep"], params["top_logprobs"]
        whole_number("max_tokens", 1 if max_tokens is None else max_tokens, 1, MOST, "1")
        whole_number("num_draft_tokens", params["num_draft_tokens"], 0, MOST, "0")
        whole_number("n_keep", n_keep, 0, len(tokens), "0")
        whole_number("top_logprobs", n_logprobs, 0, MAX_TOP_LOGITS, "0")
        grammar, json_schema = params["grammar"], params["json_schema"]
        has_grammar = grammar is not None or json_schema is not None
        if params["reasoning_format"] not in ("none", "auto"):
            raise ArgumentError(f"reasoning_format is {params['reasoning_format']!r}: expected 'none' or 'auto'")
        reasoning = self._reasoning_parser(tokens) if params["reasoning_format"] == "auto" else None
        if reasoning is not None and has_grammar:
            tokens += reasoning.final()
        budget = params["reasoning_budget"]
        whole_number("reasoning_budget", 0 if budget is None else budget, 0, MOST, "0")
        n_ctx = self._engine.n_ctx
        n_left = n_ctx - len(tokens)
        if params["context_shift"] and n_left > 0:
            n_left = UNLIMITED
        n_max = n_left if max_tokens is None else min(max_tokens, n_left)
        if n_max < 1:
            raise ArgumentError(
                f"the prompt is too long: {len(tokens)} tokens, and the context length is {n_ctx} "
                "with the completion",
                hint=f"a shorter prompt, or a larger n_ctx (-c): the model was trained for {self.n_ctx_train} tokens",
            )
        sampler, n_top = sampler_of(params, self._n_tokens)
        processors = processors_of(params, self._breakers, n_ctx)
        if reasoning is not None and budget is not None and not has_grammar:
            processors.append(ThinkingBudget(reasoning, budget))
        if has_grammar:
            processors.append(self._grammars.processor(grammar=grammar, json_schema=json_schema))
        return DecodeConfig(
            max_tokens=n_max,
            stop=Stop(params["stop"]),
            sampler=sampler,
            processors=processors,
            n_top=0 if processors or not n_top else min(max(n_top, n_logprobs), self._n_tokens),
            draft=self._draft,
            num_draft_tokens=params["num_draft_tokens"],
            n_keep=max(n_keep, int(tokens[:1] == [self._tokenizer.bos])),
            top_logprobs=n_logprobs,
            salt=(params["cache_salt"], chosen(self._choices, params["lora"])),
            turn=0 if self._config.recurrence is None or len(tokens) < _LEAST_TURN else self._turns.last(tokens),
            reasoning=reasoning,
            visible=params["visible_tokens"],
        )

    def _reasoning_parser(self, tokens: Sequence[int]) -> ReasoningParser | None:
        """Return the parser for a completion of these tokens; None for models that do not reason."""
        if Harmony.speaks(self._tokenizer):
            return Harmony(self._tokenizer, tokens)
        marks = format_of(self._template)
        return None if marks is None else Thinking(self._tokenizer, tokens, marks)

    def generate(
        self,
        prompt: Prompt,
        max_tokens: int | None = None,
        temperature: float | None = None,
        **sampling: Unpack[SamplingParams],
    ) -> Generation:
        """As ``stream``, but return the whole completion."""
        ids = self._ids(prompt)
        return collect(ids, self.stream(ids, max_tokens, temperature, **sampling))

    def generate_all(
        self,
        prompts: Sequence[Prompt],
        max_tokens: int | None = None,
        temperature: float | None = None,
        **sampling: Unpack[SamplingParams],
    ) -> list[Generation]:
        """As ``generate`` for several prompts in one batch, which multiplies the throughput.

        Batching changes no completion. Sequences for which the KV cache has no room (``n_sequences``) wait.
        """
        return collect_all([self._request(prompt, max_tokens, temperature, sampling) for prompt in prompts])

    def prompt_logprobs(
        self,
        prompt: Prompt,
        top_logprobs: int = 0,
        *,
        is_all: bool = True,
        cache_salt: str = "",
        lora: LoRAChoice = None,
    ) -> Stream:
        """Return the tokens of a prompt as chunks, each with its log-probability (NaN for the first token).

        Args:
            prompt: a string, or token ids.
            top_logprobs, cache_salt, lora: see ``pyhexagon.llm.SamplingParams``.
            is_all: the last chunk has a ``finish_reason``.

        Raises:
            ArgumentError: the prompt is empty or does not fit.
        """
        tokens = self._ids(prompt)
        request = Request(tokens, 0)
        salt = cache_salt, chosen(self._choices, lora)
        request.steps = self._prompt_steps(tokens, top_logprobs, salt, is_all=is_all)
        return Stream(request)

    def _prompt_steps(self, tokens: list[int], top_logprobs: int, salt: Salt, *, is_all: bool) -> Steps:
        whole_number("top_logprobs", top_logprobs, 0, MAX_TOP_LOGITS, "0")
        self._core.check(tokens)
        return prompt_logprobs(self._engine, self._tokenizer, tokens, top_logprobs, is_all=is_all, salt=salt)

    def chat(
        self,
        messages: Sequence[Message],
        max_tokens: int | None = None,
        temperature: float | None = None,
        *,
        tools: Sequence[Mapping[str, Any]] | None = None,
        parse_special: bool = False,
        template_kwargs: Mapping[str, Any] | None = None,
        continue_final_message: bool = False,
        **sampling: Unpack[SamplingParams],
    ) -> Stream:
        """Return an iterator of the chunks of the assistant's next message, as ``stream`` does.

        Args:
            messages: each with a "role" (system, developer, user, assistant, tool or function) and "content": a text,
                or a list of parts, ``{"type": "text", "text": ...}`` and, for a model with an mmproj file,
                ``{"type": "image_url", "image_url": {"url": ...}}`` (a ``data:`` URL or the path of a file) or
                ``{"type": "image", "image": ...}`` (also bytes, a Pillow image or a NumPy array).
            tools: functions that the model may call, as JSON schemas; for chat templates with tool support.
            parse_special: parse names of special tokens within messages and tools as special tokens. Never set it for
                untrusted content, which could then end its message and begin a system message. By default such names
                are plain text.
            template_kwargs: further variables of the chat template, such as ``{"enable_thinking": False}``.
            continue_final_message: continue the last message, a text of the assistant, instead of beginning another.
            max_tokens, temperature, **sampling: as ``stream``.

        Raises:
            UnsupportedError: the file has no chat template; or messages have images, and the model has no mmproj file.
            ArgumentError: a role is unknown, the chat template rejects the messages, or the last message cannot be
                continued: it is no text of the assistant, it begins with reasoning, or the template changes its text.
                Or an image cannot be decoded, see ``pyhexagon.llm.vision.pictures.picture_of``.
        """
        ids, embeddings = self.chat_prompt(
            messages, tools=tools, parse_special=parse_special, template_kwargs=template_kwargs,
            continue_final_message=continue_final_message,
        )  # fmt: skip
        sampling.setdefault("reasoning_format", "auto")
        return self.stream(ids, max_tokens, temperature, embeddings=embeddings, **sampling)

    def chat_prompt(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[Mapping[str, Any]] | None = None,
        parse_special: bool = False,
        template_kwargs: Mapping[str, Any] | None = None,
        continue_final_message: bool = False,
    ) -> tuple[list[int], Embeddings]:
        """Return the tokens of a conversation, and the embeddings of its images, which the device computes.

        Args:
            messages, tools, parse_special, template_kwargs, continue_final_message: as for ``chat``.

        Raises:
            ArgumentError, UnsupportedError: as ``chat``.
            HexagonError: the device fails.
        """
        images: list[Any] = []
        if has_images(messages):
            messages, images = cut(messages)
        prompt = self.apply_template(
            messages, tools=tools, parse_special=parse_special, template_kwargs=template_kwargs,
            continue_final_message=continue_final_message,
        )  # fmt: skip
        return self.image_prompt(prompt, images)

    def image_prompt(
        self, prompt: str, images: Sequence[Any], *, may_read_files: bool = True
    ) -> tuple[list[int], Embeddings]:
        """Return the tokens of a rendered conversation, and the embeddings of its images.

        Args:
            prompt: with a mark in the place of each image, see ``pyhexagon.llm.vision.messages.cut``.
            images: as of ``pyhexagon.llm.vision.pictures.picture_of``.
            may_read_files: False refuses images by the path of a file.

        Raises:
            ImagesTooLongError: the images do not fit the context.
            ArgumentError: an image cannot be decoded, or the chat template dropped one.
            UnsupportedError: there are images, and the model has no mmproj file.
            HexagonError: the device fails.
        """
        encode = partial(self._tokenizer.encode, add_special=False)
        if not images:
            return encode(prompt), NO_EMBEDDINGS
        if self._vision is None:
            raise UnsupportedError(f"{self.path} takes no images without an mmproj file", hint="LLM(mmproj=...)")
        if (n_marks := prompt.count(MARK)) != len(images):
            raise ArgumentError(f"the chat template wrote {n_marks} of {len(images)} images")
        pictures = (picture_of(one, may_read_files=may_read_files) for one in images)
        tokens, table = self._vision.prompt(prompt, pictures, encode, self.n_ctx, self._held)
        return tokens, table.embeddings()

    @contextmanager
    def _held(self) -> Iterator[None]:
        """Hold the device's turn: no step of the engine runs, and the model is not closed."""
        with self._lock:
            self._check()
            yield

    def apply_template(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[Mapping[str, Any]] | None = None,
        parse_special: bool = True,
        template_kwargs: Mapping[str, Any] | None = None,
        continue_final_message: bool = False,
    ) -> str:
        """Return the prompt of a conversation, rendered by the model's chat template, with the generation prompt.

        Args:
            messages, tools, template_kwargs, continue_final_message: as for ``chat``.
            parse_special: False marks the names of special tokens within messages, tools and template_kwargs with
                U+FDD0, so that ``tokenizer.encode`` treats them as plain text, as ``chat`` does.
        """
        if isinstance(messages, (str, Mapping)):
            message = messages if isinstance(messages, Mapping) else {"role": "user", "content": messages}
            kind = "a text" if isinstance(messages, str) else "one message"
            raise ArgumentError(f"messages is {kind}: expected a list of messages", hint=f"[{message}]")
        return rendered(
            self.path, self._template, self._tokenizer, messages, tools, parse_special=parse_special,
            template_kwargs=template_kwargs, continue_final_message=continue_final_message,
        )  # fmt: skip

    def __call__(self, tokens: Sequence[int], *, lora: LoRAChoice = None) -> npt.NDArray[np.float32]:
        """Return the logits after the last token, (V,) float32, from any thread. Only tokens that are not cached are
        computed; one more token is one message.

        Args:
            tokens: ids.
            lora: adapters, see ``pyhexagon.llm.SamplingParams``.

        Raises:
            ArgumentError: there are no tokens, more than n_ctx, or one is not in the vocabulary.
            DspTimeoutError, DeviceLostError: as ``stream``.
        """
        return self._engine.logits(_ids(tokens), chosen(self._choices, lora))

    def logits(self, tokens: Sequence[int], *, lora: LoRAChoice = None) -> npt.NDArray[np.float32]:
        """Return the logits at every position, (T, V) float32; row t follows tokens 0 to t.

        Args:
            tokens: ids.
            lora: adapters, see ``pyhexagon.llm.SamplingParams``.
        """
        ids, adapters = _ids(tokens), chosen(self._choices, lora)
        with self._held():
            return self._core.all_logits(ids, adapters)

    def reserve(self) -> None:
        """Allocate now the memory that activations of any batch need, so that a server does not run out of it later.

        Raises:
            DspMemoryError: it does not fit.
        """
        if isinstance(self._running, Engine):
            self._running.core.stages.reserve()

    def clear_cache(self) -> None:
        """Evict all cached sequences. No completion changes: the engine computes their prefixes again when needed.

        Raises:
            UnsupportedError: the model makes embeddings only.
        """
        with self._held():
            self._core.clear_cache()

    @property
    def work(self) -> tuple[int, float]:
        """Number of messages that the engine has received so far, and the seconds that their round trips took."""
        model = self._running
        if isinstance(model, Encoder):
            return 0, 0.0
        return model.core.runner.n_messages, model.core.runner.busy_seconds

    # --- Life ---

    def __enter__(self) -> Self:
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
        state = " closed" if self.closed else f", n_ctx {self.n_ctx}, on {self.device_name}"
        return f"<{type(self).__name__} {self.path}{state}>"


def _ids(tokens: Sequence[int]) -> list[int]:
    """Return ids of tokens as ``token_ids``; a text gets a hint at what takes texts."""
    if isinstance(tokens, str):
        hint = "llm.tokenizer.encode(text) returns ids; llm.generate(text) completes a text"
        raise ArgumentError("the tokens are a text: expected ids", hint=hint)
    return token_ids(tokens)
