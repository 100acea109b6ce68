# SPDX-License-Identifier: MIT
"""What continues texts with a model, wherever that is computed: on one device, or on several boards."""

from __future__ import annotations

import os
import threading
import warnings
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from pyhexagon.arguments import whole_number
from pyhexagon.errors import ArgumentError, ClosedError, HexagonError, UnsupportedError
from pyhexagon.gguf_file import GGUFFile
from pyhexagon.llm import sampling
from pyhexagon.llm.batch import Batch
from pyhexagon.llm.classifier import Classifier
from pyhexagon.llm.config import Config, Pooling
from pyhexagon.llm.context import Context
from pyhexagon.llm.encoder import Encoder, pooled
from pyhexagon.llm.engine import Engine
from pyhexagon.llm.generation import ENDLESS, Generation, How, Stream, all_gathered, course, gathered, scored
from pyhexagon.llm.grammar import Grammars
from pyhexagon.llm.harmony import Harmony
from pyhexagon.llm.model import checked
from pyhexagon.llm.sampling import Processor, Sampler, biased, penalised
from pyhexagon.llm.speculation import NUM_DRAFT_TOKENS, Draft
from pyhexagon.llm.stopping import Stop
from pyhexagon.llm.templates import ChatTemplate, Message, neutral
from pyhexagon.llm.texts import MOST_LIKELIEST, token_ids
from pyhexagon.llm.tokenizer import Tokenizer
from pyhexagon.unique import Unique

if TYPE_CHECKING:
    from typing_extensions import Self

Prompt = str | Sequence[int]
MOST: Final = (1 << 31) - 1  # tokens, texts


def known_pooling(pooling: Pooling | None, path: str) -> Pooling:
    """Raises UnsupportedError unless a model's file says how tokens become an embedding, or a score."""
    if pooling is None:
        raise UnsupportedError(f"{path} does not say how tokens become an embedding: pooling_type")
    return pooling


class Computing(Protocol):
    """What a model is computed on."""

    name: str

    @property
    def lost(self) -> str:
        """Why it needs ``reopen``; empty while it does not."""

    def reopen(self) -> None:
        """Makes it usable again; what was computed is lost."""


class ModelWords:
    """What a model's file says of texts: what needs no device.

    Args:
        n_ctx: how many tokens a text may have; None is as for ``LLM``.
    """

    def __init__(self, path: str | os.PathLike[str], n_ctx: int | None = None) -> None:
        self.path = os.fspath(path)
        with GGUFFile(path) as file:
            config, _ = checked(file)
            self.tokenizer = Tokenizer(file)
            template = file.metadata.get("tokenizer.chat_template")
            self.template = template if isinstance(template, str) else None
        self.n_ctx = min(config.n_ctx, 4096) if n_ctx is None else n_ctx
        self.can_embed = config.pooling not in (None, "rank")

    def apply_template(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[Mapping[str, Any]] | None = None,
        parse_special: bool = True,
    ) -> str:
        """As ``LLM.apply_template``."""
        return rendered(self.path, self.template, self.tokenizer, messages, tools, parse_special=parse_special)


def rendered(
    path: str,
    template: str | None,
    tokenizer: Tokenizer,
    messages: Sequence[Message],
    tools: Sequence[Mapping[str, Any]] | None,
    *,
    parse_special: bool,
) -> str:
    """The text of a conversation, by the template of a model's file."""
    if template is None:
        raise UnsupportedError(f"{path} has no chat template")
    named = {"bos_token": tokenizer.bos, "eos_token": tokenizer.eos}
    names = {name: "" if one is None else tokenizer.name(one) for name, one in named.items()}
    if not parse_special:
        messages, tools = neutral(messages, tokenizer.neutral), neutral(tools, tokenizer.neutral)
    return ChatTemplate(template, **names).render(messages, tools=tools)


class LanguageModel(Unique):
    """Texts that go on, and what goes with them; ``LLM`` says what its methods do on a device."""

    instead = "share one between threads"
    path: str
    _is_open = False
    _tokenizer: Tokenizer
    _template: str | None
    _config: Config
    _n_tokens: int
    _lock: threading.Lock
    _running: Encoder | Batch
    _draft: Draft | None = None
    _classifier: Classifier | None = None

    @property
    @abstractmethod
    def device(self) -> Computing:
        """Where it runs."""

    @abstractmethod
    def memory(self) -> dict[str, int]:
        """Bytes of shared memory: for the "model", for the "context", and for what is computed ("compute")."""

    @abstractmethod
    def close(self) -> None:
        """Gives back what it has. Again is a no-op."""

    @cached_property
    def _grammars(self) -> Grammars:
        return Grammars(self._tokenizer)

    @property
    def tokenizer(self) -> Tokenizer:
        """Texts to tokens and back."""
        return self._tokenizer

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
        cache_salt: str = "",
        reasoning_format: str = "none",
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
            cache_salt: prefix caching uses what requests with the same salt have computed, and nothing else, so that
                the time of an answer does not tell what others have asked.
            reasoning_format: "auto" takes the channels of gpt-oss apart: what the model thinks becomes
                ``Part.reasoning``, a call of a tool ``<tool_call>{"name": ..., "arguments": ...}</tool_call>``; an
                answer that follows a grammar begins on the channel "final". "none" gives all of it as it comes.

        Raises:
            ArgumentError: the prompt is empty or does not fit; or a number is out of range.
            DspTimeoutError, DeviceLostError: as ``Device.matmul``; after ``device.reopen()`` it goes on as if nothing
                had happened.
        """
        tokens = self._ids(prompt)
        whole_number("max_tokens", 1 if max_tokens is None else max_tokens, 1, MOST, "1")
        whole_number("num_draft_tokens", num_draft_tokens, 0, MOST, "0")
        whole_number("n_keep", n_keep, 0, len(tokens), "0")
        whole_number("n_likeliest", n_likeliest, 0, MOST_LIKELIEST, "0")
        if reasoning_format not in ("none", "auto"):
            raise ArgumentError(f"reasoning_format is {reasoning_format!r}: expected 'none' or 'auto'")
        is_harmony = reasoning_format == "auto" and Harmony.speaks(self._tokenizer)
        harmony = Harmony(self._tokenizer, tokens) if is_harmony else None
        if harmony is not None and (grammar is not None or json_schema is not None):
            tokens += harmony.final()
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
            n_top = 1 if temperature == 0 else min(top_k, self._n_tokens) if top_k <= MOST_LIKELIEST else 0
            sampler = sampling.sampler(temperature, top_k=top_k, top_p=top_p, min_p=min_p, seed=seed)
        chain = list(processors)
        if (repeat_penalty, frequency_penalty, presence_penalty) != (1, 0, 0):
            chain.insert(0, penalised(repeat=repeat_penalty, frequency=frequency_penalty, presence=presence_penalty))
        if logit_bias:
            chain.insert(0, biased(logit_bias))
        if grammar is not None or json_schema is not None:
            chain.append(self._grammars.processor(grammar=grammar, json_schema=json_schema))
        n_keep = max(n_keep, int(tokens[:1] == [self._tokenizer.bos]))
        n_top = 0 if chain or not n_top else min(max(n_top, n_likeliest), self._n_tokens)
        how = How(
            n_most, Stop(stop), sampler, chain, n_top, self._draft, num_draft_tokens, n_keep, n_likeliest, cache_salt,
            harmony,
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

    def scored(
        self, prompt: Prompt, n_likeliest: int = 0, *, is_all: bool = True, cache_salt: str = ""
    ) -> Stream:
        """What the model thinks of each token of a text after those before it: parts whose texts make up the prompt.

        The first one's ``logprob`` is not a number.

        Args:
            prompt: a text, or ids of tokens.
            n_likeliest: as for ``stream``.
            is_all: whether the last part has a ``finish_reason``.
            cache_salt: as for ``stream``.

        Raises:
            ArgumentError: the prompt is empty or does not fit.
        """
        tokens = self._ids(prompt)
        whole_number("n_likeliest", n_likeliest, 0, MOST_LIKELIEST, "0")
        self._batch.context.check(tokens)
        return Stream(scored(self._batch, self._tokenizer, tokens, n_likeliest, is_all=is_all, cache_salt=cache_salt))

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
        parse_special: bool = False,
        reasoning_format: str = "auto",
        **more: Any,
    ) -> Stream:
        """The answer to a conversation, token by token.

        Args:
            messages: each with a "role" (system, developer, user, assistant, tool or function) and "content".
            tools: what the model may call, as JSON schemas; for templates that know them.
            parse_special: whether names of control tokens within messages and tools mean these tokens. Who may write
                them can end a message and begin another one, of the system for example; else they are text.
            max_tokens, temperature, reasoning_format, **more: as ``stream``.

        Raises:
            UnsupportedError: the file has no chat template.
            ArgumentError: a role is unknown, or the template does not take these messages.
        """
        prompt = self.apply_template(messages, tools=tools, parse_special=parse_special)
        ids = self._tokenizer.encode(prompt, add_special=False)
        return self.stream(ids, max_tokens, temperature, reasoning_format=reasoning_format, **more)

    def apply_template(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[Mapping[str, Any]] | None = None,
        parse_special: bool = True,
    ) -> str:
        """The text of a conversation, as the model's own template has it, up to where the answer begins.

        Args:
            parse_special: False marks the names of control tokens within messages and tools with U+FDD0, so that
                ``tokenizer.encode`` takes them for text, as ``chat`` does.
        """
        return rendered(
            self.path, self._template, self._tokenizer, messages, tools, parse_special=parse_special
        )

    def __call__(self, tokens: Sequence[int]) -> npt.NDArray[np.float32]:
        """What may follow a text: (V,) float32. Only what no kept text begins with is computed, from any thread; one
        token more is one message.

        Raises:
            ArgumentError: there are no tokens, more than n_ctx, or one that does not exist.
            DspTimeoutError, DeviceLostError: as ``stream``.
        """
        return self._batch.logits(token_ids(tokens))

    def logits(self, tokens: Sequence[int]) -> npt.NDArray[np.float32]:
        """What may follow each beginning of a text: (T, V) float32, row t of tokens 0 to t."""
        ids = token_ids(tokens)
        with self._lock:
            self._check()
            return self._context.all_logits(ids)

    @property
    def can_embed(self) -> bool:
        """Whether the model says how tokens become an embedding; of a ranker's texts ``embed`` gives scores."""
        return self._config.pooling not in (None, "rank")

    @property
    def has_pooling(self) -> bool:
        """Whether the model says how the rows of tokens become one, or scores: whether ``embed`` has a result."""
        return self._config.pooling is not None

    def token_rows(self, prompt: Prompt) -> npt.NDArray[np.float32]:
        """What the model makes of each token of a text, before its output matrix: (T, width) float32.

        Raises:
            ArgumentError: the text has no tokens, or more than n_ctx.
            UnsupportedError: the model makes embeddings only.
        """
        ids = self._ids(prompt)
        with self._lock:
            self._check()
            return self._context.rows(ids)

    def embed(self, texts: Iterable[Prompt]) -> npt.NDArray[np.float32]:
        """What texts mean: (n, width) float32, each row of length 1. Similar texts have a large product.

        How rows of tokens become one is the model's own: their mean, or that of the first or the last token. Of a
        ranker it is the scores of its labels, (n, labels) float32: of Qwen 3's probabilities, "yes" first.

        Args:
            texts: texts, or ids of tokens.

        Raises:
            UnsupportedError: the model is none for embeddings.
            ArgumentError: a text has no tokens, or more than n_ctx.
        """
        pooling = known_pooling(self._config.pooling, self.path)
        if pooling == "rank" and self._classifier is None:
            raise UnsupportedError(f"{self.path} is a ranker: a board holds it")
        if isinstance(texts, str):
            raise ArgumentError(f"texts is {texts!r}: expected several, such as [{texts!r}]")
        ids = [self._ids(text) for text in texts]
        with self._lock:
            self._check()
            running = self._running
            rows = running.rows(ids) if isinstance(running, Encoder) else [running.context.rows(one) for one in ids]
        if self._classifier is not None:
            return self._classifier.scores(rows)
        return pooled(rows, pooling, self._config.width)

    def reserve(self) -> None:
        """Takes the memory now that intermediates need, whatever texts come together: for what runs for long.

        Raises:
            DspMemoryError: it does not fit.
        """
        if isinstance(self._running, Batch):
            self._running.context.stages.reserve()

    @property
    def work(self) -> tuple[int, float]:
        """Messages that the DSP has answered so far for texts that go on, and the seconds it had them, as seen here."""
        one = self._running
        return (0, 0.0) if isinstance(one, Encoder) else (one.context.n_messages, one.context.busy_seconds)

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
        return f"<{type(self).__name__} {self.path}{' closed' if self.closed else ''}>"

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
