# SPDX-License-Identifier: MIT
"""``CompletionModel``: completions and logits of a model; the base class of ``LanguageModel``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from pyhexagon.arguments import whole_number
from pyhexagon.errors import ArgumentError
from pyhexagon.llm.chat.harmony import Harmony
from pyhexagon.llm.chat.reasoning import Thinking, format_of
from pyhexagon.llm.chat.thinking import ThinkingBudget
from pyhexagon.llm.chat.turns import UserTurns
from pyhexagon.llm.embedding_model import EmbeddingModel, Prompt
from pyhexagon.llm.engine.decoding import UNLIMITED, DecodeConfig, completion, prompt_logprobs
from pyhexagon.llm.engine.dry import SequenceBreakers
from pyhexagon.llm.engine.embeddings import NO_EMBEDDINGS, Embeddings
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

if TYPE_CHECKING:
    from typing_extensions import Unpack

_LEAST_TURN: Final = 64  # tokens: to compute a shorter prompt again costs one message
MOST: Final = (1 << 31) - 1  # tokens, sequences


class CompletionModel(EmbeddingModel):
    """Completions and logits of a model."""

    _template: str | None
    _n_tokens: int
    _draft: Draft | MTPDraft | None = None
    _choices: Mapping[str, Choice] = NO_CHOICES
    _recommended: Mapping[str, Any] = NOTHING  # sampling parameters, by the model's file

    @property
    def adapters(self) -> list[str]:
        """The names of the LoRA adapters that requests can choose, in the order in which they were given."""
        return list(self._choices)

    @property
    def sampling_defaults(self) -> dict[str, Any]:
        """The sampling parameters of requests that give none: those that the model's file recommends
        (``general.sampling.*``), and pyhexagon's for the others."""
        return shown_defaults(self._recommended)

    @cached_property
    def _grammars(self) -> Grammars:
        return Grammars(self.tokenizer)

    @cached_property
    def _turns(self) -> UserTurns:
        return UserTurns(self._template, self.tokenizer)

    @cached_property
    def _breakers(self) -> SequenceBreakers:
        return SequenceBreakers(self.tokenizer)

    @cached_property
    def _speaks_harmony(self) -> bool:
        return Harmony.speaks(self.tokenizer)

    @property
    def n_ctx(self) -> int:
        """Context length in tokens: prompt and completion of a sequence."""
        return self._running.n_ctx

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
            request.warnings = config.warnings
            request.steps = completion(self._engine, self.tokenizer, tokens, config)
        if n_logprobs is not None:
            salt = given.get("cache_salt", ""), chosen(self._choices, given.get("lora"))
            of_prompt = self._prompt_steps(self._ids(request.tokens), n_logprobs, salt, is_all=is_all)
            request.steps = of_prompt if is_all else chain(of_prompt, request.steps)
        return request

    def _embeddings(self, texts: Sequence[Sequence[int]]) -> Iterator[Any]:
        if not self.embeds_tokens:
            yield from self.embed(texts)
            return
        for text in texts:
            yield self.token_rows(text)

    def _config_of(self, tokens: list[int], max_tokens: int | None, given: Mapping[str, Any]) -> DecodeConfig:
        """Return validated sampling parameters. With a grammar, the end of reasoning may be appended to ``tokens``."""
        params = with_defaults(given, self._recommended)
        n_keep, n_logprobs = params["n_keep"], params["top_logprobs"]
        whole_number("max_tokens", 1 if max_tokens is None else max_tokens, 1, MOST, "1")
        whole_number("num_draft_tokens", params["num_draft_tokens"], 0, MOST, "0")
        whole_number("n_keep", n_keep, -1, MOST, "-1")
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
        if n_keep == -1 or n_keep > len(tokens):
            n_keep = len(tokens)
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
        warnings: Sequence[str] = ()
        if has_grammar:
            mask = self._grammars.processor(grammar=grammar, json_schema=json_schema)
            processors.append(mask)
            warnings = mask.warnings
        return DecodeConfig(
            max_tokens=n_max,
            stop=Stop(params["stop"]),
            sampler=sampler,
            processors=processors,
            n_top=0 if processors or not n_top else min(max(n_top, n_logprobs), self._n_tokens),
            draft=self._draft,
            num_draft_tokens=params["num_draft_tokens"],
            n_keep=max(n_keep, int(tokens[:1] == [self.tokenizer.bos])),
            top_logprobs=n_logprobs,
            salt=(params["cache_salt"], chosen(self._choices, params["lora"])),
            turn=0 if self._config.recurrence is None or len(tokens) < _LEAST_TURN else self._turns.last(tokens),
            reasoning=reasoning,
            visible=params["visible_tokens"],
            warnings=warnings,
        )

    def _reasoning_parser(self, tokens: Sequence[int]) -> ReasoningParser | None:
        """Return the parser for a completion of these tokens; None for models that do not reason."""
        if self._speaks_harmony:
            return Harmony(self.tokenizer, tokens)
        marks = format_of(self._template)
        return None if marks is None else Thinking(self.tokenizer, tokens, marks)

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
        return prompt_logprobs(self._engine, self.tokenizer, tokens, top_logprobs, is_all=is_all, salt=salt)

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

    @contextmanager
    def _held(self) -> Iterator[None]:
        """Hold the device's turn: no step of the engine runs, and the model is not closed."""
        with self._lock:
            self._check()
            yield


def _ids(tokens: Sequence[int]) -> list[int]:
    """Return ids of tokens as ``token_ids``; a text gets a hint at what takes texts."""
    if isinstance(tokens, str):
        hint = "llm.tokenizer.encode(text) returns ids; llm.generate(text) completes a text"
        raise ArgumentError("the tokens are a text: expected ids", hint=hint)
    return token_ids(tokens)
