# SPDX-License-Identifier: MIT
"""llama-cpp-python's names: programs written for that package run here on the DSP.

    from pyhexagon.compat import Llama

    llama = Llama("model.gguf", n_ctx=2048)
    llama("Once upon a time", max_tokens=32)["choices"][0]["text"]

Libraries that import ``llama_cpp`` themselves, such as langchain_community, get it by

    import sys, pyhexagon.compat
    sys.modules["llama_cpp"] = pyhexagon.compat

Results have OpenAI's shapes. Arguments that have no effect on a DSP are accepted, and named in the log of this module;
those that would change results in a way that is not there raise ``ArgumentError``.
"""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from types import MappingProxyType, TracebackType
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pyhexagon.compat_arguments import CALL, CALL_REFUSED, CONSTRUCTOR, CONSTRUCTOR_REFUSED, Arguments
from pyhexagon.compat_extras import LlamaGrammar, LlamaPromptLookupDecoding, LlamaState
from pyhexagon.errors import ArgumentError
from pyhexagon.llm import LLM, GenerationChunk
from pyhexagon.llm.encoder import pooled
from pyhexagon.llm.hub import download
from pyhexagon.llm.sampling import Logits, Processor, penalised, sampler
from pyhexagon.llm.tokenizer import Tokenizer

__all__ = ["Llama", "LlamaGrammar", "LlamaPromptLookupDecoding", "LlamaState"]

Record = dict[str, Any]
LogitsProcessor = Callable[[npt.NDArray[np.intc], Logits], Logits]
StoppingCriteria = Callable[[npt.NDArray[np.intc], Logits], bool]

_KINDS: Final[Mapping[int | None, str | None]] = MappingProxyType({None: None, 1: "f16", 2: "q4_0", 8: "q8_0"})
_ANY_SEED: Final = (-1, 0xFFFFFFFF)


class Llama:
    """A language model.

    Args:
        model_path: of a GGUF file.
        n_ctx: tokens of context; 0 takes the model's.
        seed: of the random numbers where a call names none; -1, as None, takes new ones.
        type_k, type_v: how keys and values are kept, by ggml's numbers: F16 1, Q4_0 2, Q8_0 8; both the same.
        draft_model: guesses tokens, which changes no answer.
        device: as ``pyhexagon.LLM`` has it.
        rope_freq_base, rope_freq_scale: 0, or what the model's file says.
        last_n_tokens_size: how many of the last tokens penalties count; -1: all.
        **others: the rest of llama-cpp-python's. Those that choose how a CPU or a GPU computes have no effect; those
            that would make another model of the file are taken at their neutral values.

    Raises:
        ArgumentError: another kind of cache, or a value that is not supported; and as ``pyhexagon.LLM``.
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
        rope_freq_base: float = 0.0,
        rope_freq_scale: float = 0.0,
        last_n_tokens_size: int = 64,
        **others: Any,
    ) -> None:
        self._arguments = Arguments()
        self._arguments.judge(others, CONSTRUCTOR, CONSTRUCTOR_REFUSED)
        self.last_n_tokens_size = last_n_tokens_size
        self.model_path = os.fspath(model_path)
        self._tokens: list[int] = []
        self._scores: Logits | None = None
        self.set_seed(seed)
        if type_k != type_v or type_k not in _KINDS:
            raise ArgumentError(f"type_k is {type_k!r} and type_v {type_v!r}: expected both 1, 2 or 8, or none")
        self._llm = LLM(model_path, n_ctx or None, kv=_KINDS[type_k], draft_model=draft_model, device=device)
        rope = self._llm._config.rope
        for name, value, known in (
            ("rope_freq_base", rope_freq_base, rope.freq_base),
            ("rope_freq_scale", rope_freq_scale, rope.freq_scale),
        ):
            if value not in (0, known):
                self._llm.close()
                raise ArgumentError(f"{name}={value!r} is not supported: the model's file says {known!r}; pass 0")
        self._draft: Record = {} if draft_model is None else {"num_draft_tokens": draft_model.num_pred_tokens}

    @classmethod
    def from_pretrained(cls, repo_id: str, filename: str, **more: Any) -> Llama:
        """A model of the Hugging Face hub; ``filename`` may be a pattern."""
        return cls(download(repo_id, filename), **more)

    # --- Texts ---

    def __call__(self, prompt: str | Sequence[int], *arguments: Any, **more: Any) -> Any:
        """As ``create_completion``."""
        return self.create_completion(prompt, *arguments, **more)

    def create_completion(  # noqa: PLR0917 - llama-cpp-python's order
        self,
        prompt: str | Sequence[int],
        suffix: str | None = None,
        max_tokens: int | None = 16,
        temperature: float = 0.8,
        top_p: float = 0.95,
        min_p: float = 0.05,
        typical_p: float = 1.0,
        logprobs: int | None = None,
        echo: bool = False,
        stop: str | Sequence[str] | None = None,
        frequency_penalty: float = 0.0,
        presence_penalty: float = 0.0,
        repeat_penalty: float = 1.0,
        top_k: int = 40,
        stream: bool = False,
        seed: int | None = None,
        tfs_z: float = 1.0,
        mirostat_mode: int = 0,
        mirostat_tau: float = 5.0,
        mirostat_eta: float = 0.1,
        model: str | None = None,
        stopping_criteria: Sequence[StoppingCriteria] | None = None,
        logits_processor: Sequence[LogitsProcessor] | None = None,
        grammar: LlamaGrammar | None = None,
        logit_bias: Mapping[int, float] | None = None,
    ) -> Record | Iterator[Record]:
        """Continues a text.

        Args:
            suffix, typical_p, mirostat_mode: only None, 1 and 0.
            tfs_z, mirostat_tau, mirostat_eta: of no effect.
            max_tokens: None, or a number below 1, goes on until the model ends it or the context is full.
            echo: whether the prompt stands before the answer.
            logprobs: not None gives the log-probabilities of the answer's tokens, and of so many likely ones, 0 to 64.
            model: the name in the result; None: the path.
            stopping_criteria: functions of the tokens so far (intc) and the logits (V,) float32; a true one ends it.
            logits_processor: functions of the tokens so far (intc) and the logits (V,) float32, which return logits.
            stream: gives a chunk for each token in place of the whole.

        Returns:
            OpenAI's "text_completion".

        Raises:
            ArgumentError: a value is out of range, or not supported.
        """
        given = {
            "suffix": suffix, "typical_p": typical_p, "tfs_z": tfs_z, "mirostat_mode": mirostat_mode,
            "mirostat_tau": mirostat_tau, "mirostat_eta": mirostat_eta,
        }  # fmt: skip
        self._arguments.judge(given, CALL, CALL_REFUSED)
        ids = self._llm.tokenizer.encode(prompt) if isinstance(prompt, str) else list(prompt)
        rules: Record = {} if grammar is None else dict(grammar.rules)
        processors = self._processors(
            repeat_penalty, frequency_penalty, presence_penalty, logits_processor, stopping_criteria
        )
        if stopping_criteria and grammar is not None:
            raise ArgumentError("stopping_criteria and a grammar cannot both decide when an answer ends: leave one out")
        parts = self._llm.stream(
            ids, _most(max_tokens), temperature, top_p=top_p, min_p=min_p, top_k=top_k, stop=stop or (),
            seed=self._seed_of(seed), logit_bias=logit_bias, top_logprobs=logprobs or 0, processors=processors,
            **rules, **self._draft,
        )  # fmt: skip
        text = prompt if isinstance(prompt, str) else self._llm.tokenizer.decode(ids)
        logged = None if logprobs is None else _Logprobs(self._llm.tokenizer, ids, len(text))
        head = self._head("cmpl", "text_completion", model)
        if stream:
            return (head | {"choices": [_choice([part], logged)]} for part in parts)
        made = list(parts)
        choice = _choice(made, logged)
        choice["text"] = (text if echo else "") + choice["text"]
        return head | {"choices": [choice], "usage": _usage(len(ids), len(made))}

    def create_chat_completion(  # noqa: PLR0917 - llama-cpp-python's order
        self,
        messages: Sequence[Mapping[str, Any]],
        functions: None = None,
        function_call: None = None,
        tools: Sequence[Mapping[str, Any]] | None = None,
        tool_choice: str | None = None,
        temperature: float = 0.2,
        top_p: float = 0.95,
        top_k: int = 40,
        min_p: float = 0.05,
        typical_p: float = 1.0,
        stream: bool = False,
        stop: str | Sequence[str] | None = None,
        seed: int | None = None,
        response_format: Mapping[str, Any] | None = None,
        max_tokens: int | None = None,
        presence_penalty: float = 0.0,
        frequency_penalty: float = 0.0,
        repeat_penalty: float = 1.0,
        tfs_z: float = 1.0,
        mirostat_mode: int = 0,
        mirostat_tau: float = 5.0,
        mirostat_eta: float = 0.1,
        model: str | None = None,
        logits_processor: Sequence[LogitsProcessor] | None = None,
        grammar: LlamaGrammar | None = None,
        logit_bias: Mapping[int, float] | None = None,
        logprobs: bool | None = None,
        top_logprobs: int | None = None,
    ) -> Record | Iterator[Record]:
        """Answers a conversation through the model's own template.

        Args:
            functions, function_call: only None: ``tools`` has them.
            tool_choice: None, "auto" or "none".
            response_format: {"type": "json_object"}, perhaps with a "schema", makes the answer JSON.
            logprobs: whether the log-probability of each token is told.
            top_logprobs: of how many likely ones, 0 to 64, as well.
            others: as ``create_completion``.

        Returns:
            OpenAI's "chat.completion", or its chunks. What a model thinks before it answers is "reasoning_content".

        Raises:
            ArgumentError: a value is out of range, or not supported.
        """
        given = {
            "functions": functions, "function_call": function_call, "tool_choice": tool_choice, "typical_p": typical_p,
            "tfs_z": tfs_z, "mirostat_mode": mirostat_mode, "mirostat_tau": mirostat_tau, "mirostat_eta": mirostat_eta,
        }  # fmt: skip
        self._arguments.judge(given, CALL, CALL_REFUSED)
        rules: Record = {} if grammar is None else dict(grammar.rules)
        if response_format is not None and response_format.get("type") == "json_object":
            if grammar is not None:
                raise ArgumentError("expected either a grammar or a response_format")
            rules["json_schema"] = response_format.get("schema", {"type": "object"})
        elif response_format is not None and response_format.get("type") != "text":
            raise ArgumentError(f"response_format is {response_format!r}: its type is text or json_object")
        tools = None if tool_choice == "none" else tools
        prompt = self._llm.apply_template(messages, tools=tools, parse_special=False)
        ids = self._llm.tokenizer.encode(prompt, add_special=False)
        parts = self._llm.stream(
            ids, _most(max_tokens), temperature, top_p=top_p, min_p=min_p, top_k=top_k, stop=stop or (),
            seed=self._seed_of(seed), logit_bias=logit_bias, top_logprobs=top_logprobs or 0, reasoning_format="auto",
            processors=self._processors(repeat_penalty, frequency_penalty, presence_penalty, logits_processor),
            **rules, **self._draft,
        )  # fmt: skip
        if stream:
            return self._chunks(parts, model, bool(logprobs))
        made = list(parts)
        message = {"role": "assistant", "content": "".join(part.text for part in made)}
        reasoning = "".join(part.reasoning for part in made)
        message |= {"reasoning_content": reasoning} if reasoning else {}
        content = self._chat_logprobs(made) if logprobs else None
        choice = {"index": 0, "message": message, "logprobs": content, "finish_reason": made[-1].finish_reason}
        head = self._head("chatcmpl", "chat.completion", model)
        return head | {"choices": [choice], "usage": _usage(len(ids), len(made))}

    def _chunks(self, parts: Iterator[GenerationChunk], model: str | None, logprobs: bool) -> Iterator[Record]:
        head = self._head("chatcmpl", "chat.completion.chunk", model)
        yield head | {"choices": [{"index": 0, "delta": {"role": "assistant"}, "finish_reason": None}]}
        for part in parts:
            delta = {"content": part.text} if part.text else {}
            delta |= {"reasoning_content": part.reasoning} if part.reasoning else {}
            choice: Record = {"index": 0, "delta": delta, "finish_reason": part.finish_reason}
            yield head | {"choices": [choice | ({"logprobs": self._chat_logprobs([part])} if logprobs else {})]}

    def _chat_logprobs(self, parts: Sequence[GenerationChunk]) -> Record:
        def one(token: int, logprob: float) -> Record:
            content = self._llm.tokenizer.token_bytes(token, special=True)
            return {"token": content.decode("utf-8", "replace"), "bytes": list(content), "logprob": logprob}

        return {
            "content": [
                one(part.token, part.logprob) | {"top_logprobs": [one(*each) for each in part.top_logprobs]}
                for part in parts
            ]
        }

    def _head(self, kind: str, name: str, model: str | None) -> Record:
        model = self.model_path if model is None else model
        return {"id": f"{kind}-{uuid.uuid4()}", "object": name, "created": int(time.time()), "model": model}

    def _processors(
        self,
        repeat: float,
        frequency: float,
        presence: float,
        processors: Sequence[LogitsProcessor] | None,
        criteria: Sequence[StoppingCriteria] | None = None,
    ) -> list[Processor]:
        """As ``LLM.stream`` takes them. A criterion that is true leaves only a token that ends the answer."""
        chain = _processors(processors)
        if (repeat, frequency, presence) != (1, 0, 0):
            last = self._llm.n_ctx if self.last_n_tokens_size == -1 else self.last_n_tokens_size
            chain.insert(0, penalised(repeat=repeat, frequency=frequency, presence=presence, last=last))
        if criteria:
            end = min(self._llm.tokenizer.ends, default=None)
            if end is None:
                raise ArgumentError("stopping_criteria: the model has no token that ends an answer; use stop")

            def stopped(tokens: Sequence[int], logits: Logits) -> Logits:
                if not any(is_end(np.array(tokens, np.intc), logits) for is_end in criteria):
                    return logits
                only = np.full_like(logits, -np.inf)
                only[end] = 0
                return only

            chain.append(stopped)
        return chain

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

    def embed(
        self,
        input: str | Sequence[str],
        normalize: bool | None = None,
        truncate: bool = True,
        return_count: bool = False,
    ) -> Any:
        """What a text means, or a list of that for several: of length 1. Of a model whose file does not say how tokens
        become an embedding, it is a list of rows, one for each token.

        Args:
            normalize: whether rows of tokens get length 1; embeddings of texts have it.
            truncate: whether texts that are too long are cut to n_ctx.
            return_count: whether the number of tokens is given as well, as a second value.

        Raises:
            ArgumentError: normalize is False for embeddings of texts; or a text is too long.
        """
        texts = [input] if isinstance(input, str) else input
        ids = [self._llm.tokenizer.encode(text) for text in texts]
        ids = [one[: self._llm.n_ctx] for one in ids] if truncate else ids
        if self._llm.has_pooling:
            if normalize is False:
                raise ArgumentError("embeddings have length 1 here: leave normalize=False out")
            made: list[Any] = self._llm.embed(ids).tolist()
        else:
            rows = [self._llm.token_rows(one) for one in ids]
            made = [(pooled(list(one[:, None]), "last", one.shape[1]) if normalize else one).tolist() for one in rows]
        result = made[0] if isinstance(input, str) else made
        return (result, sum(map(len, ids))) if return_count else result

    def create_embedding(self, input: str | Sequence[str], model: str | None = None) -> Record:
        """The same, in OpenAI's shape."""
        rows, n_tokens = self.embed([input] if isinstance(input, str) else input, return_count=True)
        data = [{"object": "embedding", "embedding": row, "index": index} for index, row in enumerate(rows)]
        usage = {"prompt_tokens": n_tokens, "total_tokens": n_tokens}
        return {"object": "list", "data": data, "model": self.model_path if model is None else model, "usage": usage}

    # --- Tokens ---

    def tokenize(self, text: bytes, add_bos: bool = True, special: bool = False) -> list[int]:
        """The ids of a text in UTF-8, or of any bytes: see ``Tokenizer.encode_bytes``."""
        return self._llm.tokenizer.encode_bytes(text, add_special=add_bos, special=special)

    def detokenize(
        self, tokens: Sequence[int], prev_tokens: Sequence[int] | None = None, special: bool = False
    ) -> bytes:
        """The bytes of tokens: a character that they begin and do not complete has those that are there.

        Args:
            prev_tokens: those before them; without, the space that begins each text is left out.
            special: whether control tokens are written by their names.
        """
        tokenizer = self._llm.tokenizer
        content = b"".join(tokenizer.token_bytes(token, special=special) for token in tokens)
        return content if prev_tokens or not tokenizer.adds_space else content.removeprefix(b" ")

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


class _Logprobs:
    """What OpenAI's "logprobs" of a completion has, for parts that follow one another."""

    def __init__(self, tokenizer: Tokenizer, prompt: Sequence[int], offset: int) -> None:
        self._tokenizer, self._offset = tokenizer, offset
        self._decoder = tokenizer.decoder(after=prompt)

    def of(self, parts: Sequence[GenerationChunk]) -> Record:
        made: Record = {"tokens": [], "text_offset": [], "token_logprobs": [], "top_logprobs": []}
        for part in parts:
            name = self._name(part.token)
            made["tokens"].append(name)
            made["text_offset"].append(self._offset)
            made["token_logprobs"].append(part.logprob)
            likeliest = {self._name(token): logprob for token, logprob in part.top_logprobs}
            made["top_logprobs"].append(likeliest | {name: part.logprob})
            self._offset += len(self._decoder.add(part.token))
        return made

    def _name(self, token: int) -> str:
        return self._tokenizer.decode([token], special=True)


def _choice(parts: Sequence[GenerationChunk], logprobs: _Logprobs | None) -> Record:
    text = "".join(part.text for part in parts)
    logged = None if logprobs is None else logprobs.of(parts)
    return {"text": text, "index": 0, "logprobs": logged, "finish_reason": parts[-1].finish_reason}
