# SPDX-License-Identifier: MIT
"""The fields of requests to OpenAI's API, and their types, which the other APIs share. Fields beside OpenAI's are
llama.cpp's and vLLM's."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from operator import attrgetter
from typing import Annotated, Any, Final, Literal

from msgspec import Meta

from pyhexagon.llm.chat import templates
from pyhexagon.serve.apis.constraints import Constraints
from pyhexagon.serve.apis.sampling_fields import MOST_TOKENS, Count, Limit, SamplingFields
from pyhexagon.serve.http.schema import Schema, invalid, items, validated

MOST_CHOICES: Final = 64  # completions of a request
MOST_MESSAGES: Final = 4096  # or parts of a message
SEEDS: Final = 1 << 64
_MOST_STOPS: Final = 64

Role = Annotated[templates.Role, Meta(description=" or ".join(templates.ROLES))]
Seed = Annotated[int, Meta(description=f"a whole number from {-SEEDS} to {SEEDS}")]
Budget = Annotated[int, Meta(ge=-1, le=MOST_TOKENS)]
Choices = Annotated[int, Meta(ge=1, le=MOST_CHOICES)]
Top = Annotated[int, Meta(ge=0, le=20)]  # log-probabilities
Factor = Annotated[float, Meta(ge=-1000, le=1000)]
Stops = Annotated[
    str | Annotated[Sequence[str], Meta(max_length=_MOST_STOPS)],
    Meta(description=f"a text, or at most {_MOST_STOPS} of them"),
]
LogitBias = Annotated[
    dict[str, Factor] | Annotated[list[tuple[int | str, Factor | bool]], Meta(max_length=MOST_MESSAGES)],
    Meta(description="numbers by tokens, or pairs of them"),
]
Input = Annotated[
    str | list[str | int | list[int]], Meta(description="a text, a list of tokens, or a list of these"),
]  # fmt: skip


class Adapter(Schema, kw_only=True):
    """A LoRA adapter by its number, and the factor on its product."""

    id: Count
    scale: Factor = 0


class Sampling(SamplingFields):
    """Sampling parameters, stop sequences, and what constrains a completion."""

    stop: Stops = ()
    logit_bias: LogitBias | None = None
    mirostat: Any = None
    seed: Seed | None = None
    stream: bool = False
    lora: Annotated[Sequence[Adapter], Meta(max_length=1024)] | None = None

    def parameters(self) -> dict[str, Any]:
        """Return the sampling parameters of ``LLM.stream`` that the request has.

        Raises:
            ServeError: a name in ``logit_bias`` is no token's number.
        """
        made = {name: value for name in _PARAMETERS if (value := getattr(self, name)) is not None}
        for name in ("temperature", "top_k"):
            if name in made:
                made[name] = max(0, made[name])
        if self.repetition_penalty is not None:
            made["repeat_penalty"] = self.repetition_penalty
        made["stop"] = list(filter(None, [self.stop] if isinstance(self.stop, str) else self.stop))
        if isinstance(self.logit_bias, dict):
            made["logit_bias"] = {_token(name, factor): factor for name, factor in self.logit_bias.items()}
        elif self.logit_bias is not None:
            pairs = self.logit_bias  # llama.cpp's; texts among them need the tokenizer
            made["logit_bias"] = {token: bias_of(factor) for token, factor in pairs if isinstance(token, int)}
        return made | dict(self.constraint())


_PARAMETERS: Final = [
    name for name in SamplingFields.__struct_fields__
    if name not in ("repetition_penalty", "ignore_eos", *Constraints.__struct_fields__)
]  # fmt: skip


def _token(name: str, factor: float) -> int:
    if not (name.isascii() and name.isdecimal() and len(name) < 10):
        raise invalid(f"logit_bias.{name}", factor, "the numbers of tokens as names")
    return int(name)


def bias_of(factor: float | bool) -> float:
    """Return the bias of a pair; false bans a token."""
    return -inf if factor is False else float(factor)


class StreamOptions(Schema):
    """Options of a stream."""

    include_usage: bool = False


class GenerationFields(Sampling):
    """What completions and chat completions have in common."""

    n: Choices = 1
    max_tokens: Limit = 16
    n_predict: Limit | None = None
    stream_options: StreamOptions | None = None

    @property
    def limit(self) -> int:
        """The maximum number of tokens of a completion; -1: up to the context length."""
        return self.max_tokens if self.n_predict is None else self.n_predict


class CompletionRequest(GenerationFields, kw_only=True):
    """A request to ``/v1/completions``."""

    prompt: Input
    logprobs: bool | Top | None = None
    echo: bool = False
    best_of: Choices | None = None
    suffix: str = ""


Parts = str | Annotated[list[dict[str, Any]], Meta(max_length=MOST_MESSAGES)]  # of any kind
ToolCalls = Annotated[list[dict[str, Any]], Meta(max_length=MOST_MESSAGES)]


class ChatMessage(Schema, kw_only=True):
    """A message of a conversation. Chat templates see its other fields, too."""

    role: Role
    content: Annotated[Parts | dict[str, Any], Meta(description="a text, or a list of parts")] = ""
    tool_calls: ToolCalls | None = None


class Function(Schema, kw_only=True):
    """A function with the JSON schema of its parameters."""

    name: str
    parameters: dict[str, Any] | None = None

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of the arguments; any object if the request has none."""
        return {"type": "object"} if self.parameters is None else self.parameters


class Tool(Schema, kw_only=True):
    """A tool that the model may call. Chat templates see its other fields, too."""

    type: Literal["function"] = "function"
    function: Function


Conversation = Annotated[list[ChatMessage], Meta(min_length=1, max_length=MOST_MESSAGES)]
Messages = Annotated[
    list[dict[str, Any]], Meta(min_length=1, max_length=MOST_MESSAGES, extra_json_schema=items(ChatMessage))
]  # fmt: skip
Tools = Annotated[Sequence[dict[str, Any]], Meta(max_length=128, extra_json_schema=items(Tool))]
CHOICES: Final = "none, auto, required, or a function of tools"
ToolChoice = Annotated[Literal["none", "auto", "required", "any"] | dict[str, Any], Meta(description=CHOICES)]


class NestedReasoning(Schema):
    """The field ``reasoning`` or ``thinking`` of several servers."""

    enabled: bool = True
    type: str | None = None
    effort: str | None = None
    max_tokens: Budget | None = None
    budget_tokens: Budget | None = None


class ReasoningOptions(GenerationFields):
    """How much the model may think, by the names of llama.cpp, vLLM and others; a budget is in tokens, -1 is any."""

    reasoning_effort: str | None = None
    reasoning: Any = None
    thinking: Any = None
    thinking_budget_tokens: Budget | None = None
    reasoning_budget: Budget | None = None
    thinking_budget: Budget | None = None
    thinking_token_budget: Budget | None = None
    max_thinking_tokens: Budget | None = None
    budget_tokens: Budget | None = None
    reasoning_budget_tokens: Budget | None = None

    def thinking_options(self) -> tuple[str | None, int | None]:
        """Return the effort, "none" or None, as the template has it; and the budget in tokens; None: any."""
        given, effort = list(_BUDGETS(self)), self.reasoning_effort
        for name, value in (("reasoning", self.reasoning), ("thinking", self.thinking)):
            if isinstance(value, dict):
                options = validated(NestedReasoning, value, name)
                given += [options.max_tokens, options.budget_tokens]
                effort = effort or options.effort
                if not options.enabled or options.type == "disabled":
                    effort = "none"
        budget = next((tokens for tokens in given if tokens is not None), -1)
        return "none" if budget == 0 else effort, None if budget < 0 else budget


_BUDGETS: Final = attrgetter(
    *(name for name in ReasoningOptions.__struct_fields__ if "budget" in name or "thinking_tokens" in name)
)


class ChatRequest(ReasoningOptions, kw_only=True):
    """A request to ``/v1/chat/completions`` and ``/apply-template``."""

    messages: Messages
    tools: Tools = ()
    tool_choice: ToolChoice = "auto"
    chat_template_kwargs: dict[str, Any] | None = None
    continue_final_message: bool = False
    max_tokens: Limit = -1
    max_completion_tokens: Limit | None = None
    logprobs: bool | Top = False
    top_logprobs: Top = 0
    parse_special: bool = False
    reasoning_format: Literal["auto", "none"] = "auto"

    @property
    def limit(self) -> int:
        most = super().limit if self.max_completion_tokens is None else self.max_completion_tokens
        return most or -1
