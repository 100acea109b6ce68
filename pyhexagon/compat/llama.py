# SPDX-License-Identifier: MIT
"""``Llama``: completions and chat completions with llama-cpp-python's arguments."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pyhexagon.compat.arguments import CALL, CALL_REFUSED
from pyhexagon.compat.base import BaseLlama
from pyhexagon.compat.evaluation import EvaluatingLlama
from pyhexagon.compat.logprobs import CompletionLogprobs
from pyhexagon.compat.processors import adapted, stopping
from pyhexagon.compat.types import LlamaGrammar, LogitsProcessor, StoppingCriteria
from pyhexagon.errors import ArgumentError
from pyhexagon.llm import GenerationChunk
from pyhexagon.llm.chat import openai_format
from pyhexagon.llm.chat.openai_format import Record
from pyhexagon.llm.engine.sampling import Processor, penalised


class Llama(EvaluatingLlama):
    __doc__ = BaseLlama.__doc__

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
        """Return a completion of a prompt.

        Args:
            prompt: text or token ids.
            suffix, mirostat_mode: must be None and 0.
            tfs_z, mirostat_tau, mirostat_eta: have no effect.
            max_tokens: most tokens of the completion; None or a number below 1: no limit but the context length.
            echo: whether the response's text begins with the prompt.
            logprobs: number of top log-probabilities per token, 0 to 64; None: no logprobs.
            model: name of the model in the response; None: its path.
            stopping_criteria: functions of the tokens so far (intc) and the logits, (V,) float32; the completion ends
                as soon as one returns true.
            logits_processor: functions of the tokens so far (intc) and the logits, (V,) float32, which return logits.
            stream: whether to return an iterator of stream chunks, one per token.
            grammar: restricts the completion.
            logit_bias: numbers to add to the logits of tokens.

        Returns:
            OpenAI's "text_completion" object, or its stream chunks.

        Raises:
            ArgumentError: a value is out of range, or not supported.
        """
        given = {
            "suffix": suffix, "tfs_z": tfs_z, "mirostat_mode": mirostat_mode,
            "mirostat_tau": mirostat_tau, "mirostat_eta": mirostat_eta,
        }  # fmt: skip
        self._arguments.check(given, CALL, CALL_REFUSED)
        ids = self._llm.tokenizer.encode(prompt) if isinstance(prompt, str) else list(prompt)
        rules: Record = {} if grammar is None else dict(grammar.rules)
        processors = self._processors(
            repeat_penalty, frequency_penalty, presence_penalty, logits_processor, stopping_criteria
        )
        if stopping_criteria and grammar is not None:
            raise ArgumentError("stopping_criteria and a grammar cannot both decide when an answer ends: leave one out")
        chunks = self._llm.stream(
            ids, _limit(max_tokens), temperature, top_p=top_p, min_p=min_p, top_k=top_k, typical_p=typical_p,
            stop=stop or (),
            seed=self._seed_or_default(seed), logit_bias=logit_bias, top_logprobs=logprobs or 0, processors=processors,
            **rules, **self._draft,
        )  # fmt: skip
        text = prompt if isinstance(prompt, str) else self._llm.tokenizer.decode(ids)
        logged = None if logprobs is None else CompletionLogprobs(self._llm.tokenizer, ids, len(text))
        head = self._head("cmpl", "text_completion", model)
        if stream:
            return (head | {"choices": [_completion_choice([chunk], logged)]} for chunk in chunks)
        made = list(chunks)
        choice = _completion_choice(made, logged, text if echo else "")
        return head | {"choices": [choice], "usage": openai_format.usage(len(ids), len(made))}

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
        """Return the assistant's next message in a conversation, through the chat template of the model's file.

        Args:
            messages: objects with "role" and "content".
            functions, function_call: must be None; ``tools`` replaces them.
            tools: definitions of the tools that the model may call.
            tool_choice: None, "auto" or "none".
            response_format: {"type": "json_object"}, optionally with a "schema", restricts the message to JSON.
            logprobs: whether to return log-probabilities of the tokens.
            top_logprobs: number of top log-probabilities per token, 0 to 64.
            others: as of ``create_completion``.

        Returns:
            OpenAI's "chat.completion" object, or its stream chunks. "reasoning_content" has the text that a model
            writes before its answer.

        Raises:
            ArgumentError: a value is out of range, or not supported.
        """
        given = {
            "functions": functions, "function_call": function_call, "tool_choice": tool_choice,
            "tfs_z": tfs_z, "mirostat_mode": mirostat_mode, "mirostat_tau": mirostat_tau, "mirostat_eta": mirostat_eta,
        }  # fmt: skip
        self._arguments.check(given, CALL, CALL_REFUSED)
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
        chunks = self._llm.stream(
            ids, _limit(max_tokens), temperature, top_p=top_p, min_p=min_p, top_k=top_k, typical_p=typical_p,
            stop=stop or (),
            seed=self._seed_or_default(seed), logit_bias=logit_bias, top_logprobs=top_logprobs or 0,
            reasoning_format="auto",
            processors=self._processors(repeat_penalty, frequency_penalty, presence_penalty, logits_processor),
            **rules, **self._draft,
        )  # fmt: skip
        if stream:
            return self._stream_chunks(chunks, model, bool(logprobs))
        made = list(chunks)
        message = openai_format.message(openai_format.text(made), openai_format.reasoning(made))
        logged = openai_format.chat_logprobs(made, self._llm.tokenizer) if logprobs else None
        choice = openai_format.choice(0, {"message": message}, logged, made[-1].finish_reason)
        usage = openai_format.usage(len(ids), len(made))
        return self._head("chatcmpl", "chat.completion", model) | {"choices": [choice], "usage": usage}

    def _stream_chunks(
        self, chunks: Iterator[GenerationChunk], model: str | None, has_logprobs: bool
    ) -> Iterator[Record]:
        """Yield the stream chunks of a chat. Like llama-cpp-python's, they have "logprobs" only if requested."""
        head = self._head("chatcmpl", "chat.completion.chunk", model)
        yield head | {"choices": [openai_format.delta_choice(0, {"role": "assistant"}, None)]}
        for chunk in chunks:
            delta = openai_format.delta(chunk.text, chunk.reasoning)
            choice = openai_format.delta_choice(0, delta, chunk.finish_reason)
            if has_logprobs:
                choice["logprobs"] = openai_format.chat_logprobs([chunk], self._llm.tokenizer)
            yield head | {"choices": [choice]}

    def _head(self, prefix: str, name: str, model: str | None) -> Record:
        return openai_format.head(f"{prefix}-{uuid.uuid4()}", self._name(model)) | {"object": name}

    def _processors(
        self,
        repeat: float,
        frequency: float,
        presence: float,
        processors: Sequence[LogitsProcessor] | None,
        criteria: Sequence[StoppingCriteria] | None = None,
    ) -> list[Processor]:
        """Return penalties, logits processors and stopping criteria in the form that ``LLM.stream`` takes."""
        chain = adapted(processors)
        if (repeat, frequency, presence) != (1, 0, 0):
            last = self._llm.n_ctx if self.last_n_tokens_size == -1 else self.last_n_tokens_size
            chain.insert(0, penalised(repeat=repeat, frequency=frequency, presence=presence, last=last))
        if criteria:
            end = min(self._llm.tokenizer.ends, default=None)
            if end is None:
                raise ArgumentError("stopping_criteria: the model has no token that ends an answer; use stop")
            chain.append(stopping(criteria, end))
        return chain


def _limit(max_tokens: int | None) -> int | None:
    """Return the ``max_tokens`` of ``LLM.stream``: None instead of a number below 1."""
    return max_tokens if max_tokens and max_tokens > 0 else None


def _completion_choice(
    chunks: Sequence[GenerationChunk], logprobs: CompletionLogprobs | None, echo: str = ""
) -> Record:
    text = echo + openai_format.text(chunks)
    logged = None if logprobs is None else logprobs.record(chunks)
    return openai_format.choice(0, {"text": text}, logged, chunks[-1].finish_reason)
