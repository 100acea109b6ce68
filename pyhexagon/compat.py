# SPDX-License-Identifier: MIT
"""``Llama``, under the names that llama-cpp-python has: programs written for that package run here on the DSP.

    from pyhexagon.compat import Llama

    llama = Llama("model.gguf", n_ctx=2048)
    llama("Once upon a time", max_tokens=32)["choices"][0]["text"]

Results have OpenAI's shapes. Only what is listed here is there; ``pyhexagon.LLM`` has more.
"""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pyhexagon.errors import ArgumentError
from pyhexagon.llm import LLM, Part, prompt_lookup
from pyhexagon.llm.hub import download
from pyhexagon.llm.sampling import Logits, Processor, penalised, sampler

Record = dict[str, Any]
LogitsProcessor = Callable[[npt.NDArray[np.intc], Logits], Logits]
StoppingCriteria = Callable[[npt.NDArray[np.intc], Logits], bool]

_KINDS: Final[Mapping[int | None, str | None]] = MappingProxyType({None: None, 1: "f16", 2: "q4_0", 8: "q8_0"})
_ANY_SEED: Final = (-1, 0xFFFFFFFF)


class LlamaPromptLookupDecoding:
    """Guesses ``num_pred_tokens`` tokens: those that followed the last ones, at most ``max_ngram_size``, before."""

    def __init__(self, max_ngram_size: int = 2, num_pred_tokens: int = 10) -> None:
        self.num_pred_tokens = num_pred_tokens
        self._draft = prompt_lookup(max_ngram_size)

    def __call__(self, input_ids: Sequence[int], n: int) -> Sequence[int]:
        """At most n tokens that may follow."""
        return self._draft(input_ids, n)


class LlamaGrammar:
    """What an answer must follow; made by ``from_string``, ``from_file`` or ``from_json_schema``."""

    def __init__(self, **rules: str) -> None:
        self.rules = rules

    @classmethod
    def from_string(cls, grammar: str, verbose: bool = True) -> LlamaGrammar:
        """In llama.cpp's form (GBNF)."""
        return cls(grammar=grammar)

    @classmethod
    def from_file(cls, file: str | os.PathLike[str], verbose: bool = True) -> LlamaGrammar:
        """As ``from_string``, the text being in a file."""
        return cls.from_string(Path(file).read_text(encoding="utf-8"))

    @classmethod
    def from_json_schema(cls, json_schema: str, verbose: bool = True) -> LlamaGrammar:
        """A schema of a JSON answer, as text."""
        return cls(json_schema=json_schema)


@dataclass(frozen=True)
class LlamaState:
    """What ``Llama.save_state`` keeps of a text: its tokens, and what may follow. The cache's rows are not in it: those
    that are gone when the text goes on are computed again, to the same bits."""

    input_ids: tuple[int, ...]
    scores: Logits | None


class Llama:
    """A language model.

    Args:
        model_path: of a GGUF file.
        n_ctx: tokens of context; 0 takes the model's.
        seed: of the random numbers where a call names none; -1, as None, takes new ones.
        type_k, type_v: how keys and values are kept, by ggml's numbers: F16 1, Q4_0 2, Q8_0 8; both the same.
        draft_model: guesses tokens, which changes no answer.
        device: as ``pyhexagon.LLM`` has it.
        n_gpu_layers, n_threads, n_threads_batch, n_batch, n_ubatch, flash_attn, use_mmap, use_mlock, embedding,
            verbose: accepted and of no effect: all layers are on the DSP, and a model that makes embeddings does so.

    Raises:
        ArgumentError: another kind of cache; and as ``pyhexagon.LLM``.
    """

    def __init__(
        self,
        model_path: str | os.PathLike[str],
        *,
        n_ctx: int = 512,
        seed: int | None = None,
        draft_model: LlamaPromptLookupDecoding | None = None,
        type_k: int | None = None,
        type_v: int | None = None,
        device: str | None = None,
        n_gpu_layers: int = -1,
        n_threads: int | None = None,
        n_threads_batch: int | None = None,
        n_batch: int = 512,
        n_ubatch: int = 512,
        flash_attn: bool = True,
        use_mmap: bool = True,
        use_mlock: bool = False,
        embedding: bool = False,
        verbose: bool = False,
    ) -> None:
        self.model_path = os.fspath(model_path)
        self._tokens: list[int] = []
        self._scores: Logits | None = None
        self.set_seed(seed)
        if type_k != type_v or type_k not in _KINDS:
            raise ArgumentError(f"type_k is {type_k!r} and type_v {type_v!r}: expected both 1, 2 or 8, or none")
        self._llm = LLM(model_path, n_ctx or None, kv=_KINDS[type_k], draft_model=draft_model, device=device)
        self._draft: Record = {} if draft_model is None else {"num_draft_tokens": draft_model.num_pred_tokens}

    @classmethod
    def from_pretrained(cls, repo_id: str, filename: str, **more: Any) -> Llama:
        """A model of the Hugging Face hub; ``filename`` may be a pattern."""
        return cls(download(repo_id, filename), **more)

    # --- Texts ---

    def __call__(self, prompt: str | Sequence[int], **more: Any) -> Any:
        """As ``create_completion``."""
        return self.create_completion(prompt, **more)

    def create_completion(
        self,
        prompt: str | Sequence[int],
        *,
        max_tokens: int | None = 16,
        temperature: float = 0.8,
        top_p: float = 0.95,
        min_p: float = 0.05,
        top_k: int = 40,
        echo: bool = False,
        logprobs: int | None = None,
        stop: str | Sequence[str] | None = None,
        frequency_penalty: float = 0.0,
        presence_penalty: float = 0.0,
        repeat_penalty: float = 1.0,
        seed: int | None = None,
        logit_bias: Mapping[int, float] | None = None,
        logits_processor: Sequence[LogitsProcessor] | None = None,
        grammar: LlamaGrammar | None = None,
        stream: bool = False,
    ) -> Record | Iterator[Record]:
        """Continues a text.

        Args:
            max_tokens: None, or a number below 1, goes on until the model ends it or the context is full.
            echo: whether the prompt stands before the answer.
            logprobs: not None gives the log-probabilities of the tokens, without those of others.
            logits_processor: functions of the tokens so far (intc) and the logits (V,) float32, which return logits.
            stream: gives a chunk for each token in place of the whole.

        Returns:
            OpenAI's "text_completion".
        """
        ids = self._llm.tokenizer.encode(prompt) if isinstance(prompt, str) else list(prompt)
        parts = self._llm.stream(
            ids, _most(max_tokens), temperature, top_p=top_p, min_p=min_p,
            top_k=top_k, stop=stop or (), frequency_penalty=frequency_penalty, presence_penalty=presence_penalty,
            repeat_penalty=repeat_penalty, seed=self._seed_of(seed), logit_bias=logit_bias,
            **_rules(grammar, logits_processor), **self._draft,
        )  # fmt: skip
        before = "" if not echo else prompt if isinstance(prompt, str) else self._llm.tokenizer.decode(ids)
        head = self._head("cmpl", "text_completion")
        if stream:
            return (head | {"choices": [self._choice([part], logprobs)]} for part in parts)
        made = list(parts)
        choice = self._choice(made, logprobs)
        choice["text"] = before + choice["text"]
        return head | {"choices": [choice], "usage": _usage(len(ids), len(made))}

    def create_chat_completion(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[Mapping[str, Any]] | None = None,
        response_format: Mapping[str, Any] | None = None,
        max_tokens: int | None = None,
        stream: bool = False,
        stop: str | Sequence[str] | None = None,
        seed: int | None = None,
        logits_processor: Sequence[LogitsProcessor] | None = None,
        grammar: LlamaGrammar | None = None,
        **more: Any,
    ) -> Record | Iterator[Record]:
        """Answers a conversation through the model's own template.

        Args:
            response_format: {"type": "json_object"}, perhaps with a "schema", makes the answer JSON.
            **more: temperature, top_p, min_p, top_k, frequency_penalty, presence_penalty, repeat_penalty, logit_bias.

        Returns:
            OpenAI's "chat.completion", or its chunks.
        """
        if response_format is not None and response_format.get("type") == "json_object":
            if grammar is not None:
                raise ArgumentError("expected either a grammar or a response_format")
            more["json_schema"] = response_format.get("schema", {"type": "object"})
        elif response_format is not None and response_format.get("type") != "text":
            raise ArgumentError(f"response_format is {response_format!r}: its type is text or json_object")
        prompt = self._llm.apply_template(messages, tools=tools)
        ids = self._llm.tokenizer.encode(prompt, add_special=False)
        parts = self._llm.stream(
            ids, _most(max_tokens), stop=stop or (),
            seed=self._seed_of(seed), **self._draft, **more, **_rules(grammar, logits_processor),
        )  # fmt: skip
        if stream:
            return self._chunks(parts)
        made = list(parts)
        message = {"role": "assistant", "content": "".join(part.text for part in made)}
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": made[-1].finish_reason}
        return self._head("chatcmpl", "chat.completion") | {"choices": [choice], "usage": _usage(len(ids), len(made))}

    def _chunks(self, parts: Iterator[Part]) -> Iterator[Record]:
        head = self._head("chatcmpl", "chat.completion.chunk")
        yield head | {"choices": [{"index": 0, "delta": {"role": "assistant"}, "finish_reason": None}]}
        for part in parts:
            delta = {"content": part.text} if part.text else {}
            yield head | {"choices": [{"index": 0, "delta": delta, "finish_reason": part.finish_reason}]}

    def _head(self, kind: str, name: str) -> Record:
        return {
            "id": f"{kind}-{uuid.uuid4()}", "object": name, "created": int(time.time()), "model": self.model_path,
        }  # fmt: skip

    def _choice(self, parts: Sequence[Part], logprobs: int | None) -> Record:
        of_tokens = None
        if logprobs is not None:
            names = [self._llm.tokenizer.decode([part.token], special=True) for part in parts]
            of_tokens = {"tokens": names, "token_logprobs": [part.logprob for part in parts]}
        text = "".join(part.text for part in parts)
        return {"text": text, "index": 0, "logprobs": of_tokens, "finish_reason": parts[-1].finish_reason}

    def _seed_of(self, seed: int | None) -> int | None:
        seed = self._seed if seed is None else seed
        return None if seed in _ANY_SEED else seed

    # --- Token by token ---

    def set_seed(self, seed: int | None) -> None:
        """Of the random numbers from here on, as the constructor's."""
        self._seed = seed
        self._chance = np.random.default_rng(self._seed_of(None))

    @property
    def n_tokens(self) -> int:
        """How many tokens the text has that ``eval`` makes."""
        return len(self._tokens)

    @property
    def input_ids(self) -> npt.NDArray[np.intc]:
        """Its tokens."""
        return np.array(self._tokens, np.intc)

    @property
    def eval_logits(self) -> list[list[float]]:
        """What may follow its last token, as a row of logits; none before the first ``eval``."""
        return [] if self._scores is None else [self._scores.tolist()]

    def reset(self) -> None:
        """Begins a new text."""
        self._tokens, self._scores = [], None

    def eval(self, tokens: Sequence[int]) -> None:
        """Makes the text longer.

        Raises:
            ArgumentError: there are no tokens, or more than n_ctx in all, or one that does not exist; then the text is
                what it was.
        """
        longer = [*self._tokens, *tokens]
        self._scores = self._llm(longer)
        self._tokens = longer

    def sample(
        self,
        *,
        top_k: int = 40,
        top_p: float = 0.95,
        min_p: float = 0.05,
        temp: float = 0.8,
        repeat_penalty: float = 1.0,
        frequency_penalty: float = 0.0,
        presence_penalty: float = 0.0,
        logits_processor: Sequence[LogitsProcessor] | None = None,
    ) -> int:
        """A token that may follow the text, which stays what it is.

        Raises:
            ArgumentError: the text is empty, or a number is out of range.
        """
        if self._scores is None:
            raise ArgumentError("the text is empty: eval its first tokens")
        logits = self._scores
        penalties = penalised(repeat=repeat_penalty, frequency=frequency_penalty, presence=presence_penalty)
        for process in (*_processors(logits_processor), penalties):
            logits = process(self._tokens, logits)
        seed = int(self._chance.integers(1 << 63))
        return sampler(temp, top_k=top_k, top_p=top_p, min_p=min_p, seed=seed)(logits)

    def generate(
        self,
        tokens: Sequence[int],
        *,
        reset: bool = True,
        stopping_criteria: Sequence[StoppingCriteria] | None = None,
        **more: Any,
    ) -> Generator[int, Sequence[int] | None, None]:
        """Evaluates tokens, then gives one that ``sample`` draws, evaluates it, and so on, even past the end of a text.

        Args:
            reset: whether the tokens begin a new text, or else go on with that of ``eval``.
            stopping_criteria: functions of the tokens so far (intc) and the logits (V,) float32; a true one ends it.
            **more: as for ``sample``.

        Yields:
            Tokens. What is sent to the generator comes after the last one.
        """
        if reset:
            self.reset()
        following = tokens
        while True:
            self.eval(following)
            assert self._scores is not None
            token = self.sample(**more)
            if any(is_end(self.input_ids, self._scores) for is_end in stopping_criteria or ()):
                return
            sent = yield token
            following = [token, *(sent or ())]

    def save_state(self) -> LlamaState:
        """The text that ``eval`` makes, to come back to."""
        return LlamaState(tuple(self._tokens), None if self._scores is None else self._scores.copy())

    def load_state(self, state: LlamaState) -> None:
        """Comes back to a text."""
        self._tokens = list(state.input_ids)
        self._scores = None if state.scores is None else state.scores.copy()

    # --- Embeddings ---

    def embed(self, input: str | Sequence[str]) -> list[float] | list[list[float]]:
        """What a text means, or a list of that for several: of length 1."""
        rows: list[list[float]] = self._llm.embed([input] if isinstance(input, str) else input).tolist()
        return rows[0] if isinstance(input, str) else rows

    def create_embedding(self, input: str | Sequence[str]) -> Record:
        """The same, in OpenAI's shape."""
        texts = [input] if isinstance(input, str) else list(input)
        rows = self._llm.embed(texts).tolist()
        data = [{"object": "embedding", "embedding": row, "index": index} for index, row in enumerate(rows)]
        n_tokens = sum(len(self._llm.tokenizer.encode(text)) for text in texts)
        usage = {"prompt_tokens": n_tokens, "total_tokens": n_tokens}
        return {"object": "list", "data": data, "model": self.model_path, "usage": usage}

    # --- Tokens ---

    def tokenize(self, text: bytes, add_bos: bool = True, special: bool = False) -> list[int]:
        """The ids of a text in UTF-8."""
        return self._llm.tokenizer.encode(text.decode("utf-8", "replace"), add_special=add_bos, special=special)

    def detokenize(self, tokens: Sequence[int], special: bool = False) -> bytes:
        """The bytes of tokens."""
        return self._llm.tokenizer.decode(tokens, special=special).encode()

    def n_ctx(self) -> int:
        """Tokens of context."""
        return self._llm.n_ctx

    def n_vocab(self) -> int:
        """Tokens of the vocabulary."""
        return self._llm.tokenizer.n_tokens

    def token_bos(self) -> int:
        """The id of the token that begins a text; -1 where there is none."""
        return -1 if self._llm.tokenizer.bos is None else self._llm.tokenizer.bos

    def token_eos(self) -> int:
        """Of the token that ends one; -1 where there is none."""
        return -1 if self._llm.tokenizer.eos is None else self._llm.tokenizer.eos

    # --- Life ---

    def close(self) -> None:
        """Gives its memory back."""
        self._llm.close()

    def __enter__(self) -> Llama:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._llm.__exit__(kind, error, at)


def _rules(grammar: LlamaGrammar | None, processors: Sequence[LogitsProcessor] | None) -> Record:
    """As ``LLM.stream`` takes them."""

    return {**({} if grammar is None else grammar.rules), "processors": _processors(processors)}


def _processors(processors: Sequence[LogitsProcessor] | None) -> list[Processor]:
    """As ``LLM.stream`` takes them."""

    def as_here(process: LogitsProcessor) -> Processor:
        return lambda tokens, logits: np.asarray(process(np.array(tokens, np.intc), logits), np.float32)

    return [as_here(one) for one in processors or ()]


def _most(max_tokens: int | None) -> int | None:
    """Those that a number means: one below 1 is no limit."""
    return max_tokens if max_tokens and max_tokens > 0 else None


def _usage(n_prompt: int, n_made: int) -> dict[str, int]:
    return {"prompt_tokens": n_prompt, "completion_tokens": n_made, "total_tokens": n_prompt + n_made}
