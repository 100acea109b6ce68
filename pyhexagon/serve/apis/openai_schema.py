# SPDX-License-Identifier: MIT
"""The fields of requests to OpenAI's API, and their types, which the other APIs share. Fields beside OpenAI's are
llama.cpp's and vLLM's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal

from msgspec import Meta

from pyhexagon.llm.chat import templates
from pyhexagon.serve.http.errors import wrong
from pyhexagon.serve.http.schema import Schema, invalid, items, validated

MOST_CHOICES: Final = 64  # completions of a request
MOST_MESSAGES: Final = 4096  # or parts of a message
MOST_TOKENS: Final = 1 << 30
SEEDS: Final = 1 << 64
_MOST_STOPS: Final = 16

Role = Annotated[templates.Role, Meta(description=" or ".join(templates.ROLES))]
Seed = Annotated[int, Meta(description=f"a whole number from {-SEEDS} to {SEEDS}")]
Count = Annotated[int, Meta(ge=0, le=MOST_TOKENS)]
Budget = Annotated[int, Meta(ge=-1, le=MOST_TOKENS)]
Choices = Annotated[int, Meta(ge=1, le=MOST_CHOICES)]
Top = Annotated[int, Meta(ge=0, le=20)]  # log-probabilities
Temperature = Annotated[float, Meta(ge=0, le=100)]
Probability = Annotated[float, Meta(ge=0, le=1)]
Penalty = Annotated[float, Meta(ge=-100, le=100)]
RepeatPenalty = Annotated[float, Meta(ge=0.01, le=100)]
Factor = Annotated[float, Meta(ge=-1000, le=1000)]
_Text = Annotated[str, Meta(min_length=1)]
Stops = Annotated[
    _Text | Annotated[Sequence[_Text], Meta(max_length=_MOST_STOPS)],
    Meta(description=f"a text that is not empty, or at most {_MOST_STOPS} of them"),
]
Input = Annotated[
    str | list[str | int | list[int]], Meta(description="a text, a list of tokens, or a list of these"),
]  # fmt: skip


class ModelRequest(Schema):
    """A request to a model; without a name, to the server's only or first one."""

    model: str | None = None


class Adapter(Schema, kw_only=True):
    """A LoRA adapter by its number, and the factor on its product."""

    id: Count
    scale: Factor = 0


class Sampling(ModelRequest):
    """Sampling parameters, with the defaults of ``LLM.stream``."""

    temperature: Temperature = 0.8
    top_p: Probability = 0.95
    min_p: Probability = 0.05
    top_k: Count = 40
    repeat_penalty: RepeatPenalty = 1
    frequency_penalty: Penalty = 0
    presence_penalty: Penalty = 0
    stop: Stops = ()
    logit_bias: dict[str, Factor] | None = None
    grammar: str | None = None
    seed: Seed | None = None
    stream: bool = False
    lora: Annotated[Sequence[Adapter], Meta(max_length=1024)] | None = None

    def parameters(self) -> dict[str, Any]:
        """Return the sampling parameters of ``LLM.stream``.

        Raises:
            ServeError: a name in ``logit_bias`` is no token's number.
        """
        made = {name: getattr(self, name) for name in _PARAMETERS}
        made["stop"] = [self.stop] if isinstance(self.stop, str) else list(self.stop)
        if self.logit_bias is not None:
            made["logit_bias"] = {_token(name, factor): factor for name, factor in self.logit_bias.items()}
        return made if self.grammar is None else made | {"grammar": self.grammar}


_PARAMETERS: Final = (
    "temperature", "top_p", "min_p", "top_k", "repeat_penalty", "frequency_penalty", "presence_penalty",
)  # fmt: skip


def _token(name: str, factor: float) -> int:
    if not (name.isascii() and name.isdecimal() and len(name) < 10):
        raise invalid(f"logit_bias.{name}", factor, "the numbers of tokens as names")
    return int(name)


class JsonSchema(Schema, kw_only=True):
    schema: dict[str, Any]


class ResponseFormat(Schema):
    """The form of a completion. The Responses API and Anthropic's have the schema of "json_schema" in ``schema``."""

    type: Literal["text", "json_object", "json_schema"] = "text"
    json_schema: JsonSchema | None = None
    schema: dict[str, Any] | None = None

    def required(self) -> dict[str, Any] | None:
        """Return the JSON schema of completions; None: they may be any text."""
        if self.type == "text":
            return None
        schema = self.schema if self.json_schema is None or self.type == "json_object" else self.json_schema.schema
        if schema is None and self.type == "json_schema":
            raise invalid("response_format.json_schema", None, 'an object with a "schema"')
        return {"type": "object"} if schema is None else schema


class StreamOptions(Schema):
    """Options of a stream."""

    include_usage: bool = False


class Generation(Sampling):
    """What completions and chat completions have in common."""

    n: Choices = 1
    max_tokens: Count = 16
    response_format: ResponseFormat | None = None
    stream_options: StreamOptions | None = None

    def parameters(self) -> dict[str, Any]:
        made = super().parameters()
        schema = None if self.response_format is None else self.response_format.required()
        if schema is not None and "grammar" in made:
            raise wrong("both a grammar and a response_format", "response_format")
        return made if schema is None else made | {"json_schema": schema}


class CompletionRequest(Generation, kw_only=True):
    """A request to ``/v1/completions``."""

    prompt: Input
    logprobs: bool | Top | None = None
    echo: bool = False
    best_of: Choices | None = None
    suffix: Annotated[str, Meta(max_length=0, description="nothing: the model only continues texts")] = ""


class TextPart(Schema, kw_only=True):
    """A text in the content of a message."""

    type: Literal["text"]
    text: str


Content = Annotated[
    str | Annotated[list[TextPart], Meta(max_length=MOST_MESSAGES)],
    Meta(description="a text, or parts that are texts"),
]
Parts = str | Annotated[list[dict[str, Any]], Meta(max_length=MOST_MESSAGES)]  # of any kind
ToolCalls = Annotated[list[dict[str, Any]], Meta(max_length=MOST_MESSAGES)]


def text_of(content: str | list[Any]) -> str:
    """Return the text of a content: of parts, their texts put together."""
    return content if isinstance(content, str) else "".join(part.text for part in content)


class Message(Schema, kw_only=True):
    """A message of a conversation. Chat templates see its other fields, too."""

    role: Role
    content: Annotated[Parts, Meta(description="a text, or parts that are texts")] = ""
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


class FunctionChoice(Schema, kw_only=True):
    """The function that must be called."""

    function: Function


Conversation = Annotated[list[Message], Meta(min_length=1, max_length=MOST_MESSAGES)]
Messages = Annotated[
    list[dict[str, Any]], Meta(min_length=1, max_length=MOST_MESSAGES, extra_json_schema=items(Message))
]  # fmt: skip
Tools = Annotated[Sequence[dict[str, Any]], Meta(max_length=128, extra_json_schema=items(Tool))]
CHOICES: Final = "none, auto, required, or a function of tools"


class NestedReasoning(Schema):
    """The field ``reasoning`` or ``thinking`` of several servers."""

    enabled: bool = True
    type: str | None = None
    effort: str | None = None
    max_tokens: Budget | None = None
    budget_tokens: Budget | None = None


class ReasoningOptions(Schema):
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

    def _nested(self, name: str) -> NestedReasoning:
        value = getattr(self, name)
        return validated(NestedReasoning, value, name) if isinstance(value, dict) else NestedReasoning()

    def effort(self) -> str | None:
        """Return "none", or an effort; None: as the template has it."""
        reasoning, thinking = self._nested("reasoning"), self._nested("thinking")
        if not (reasoning.enabled and thinking.enabled) or thinking.type == "disabled" or self.budget() == 0:
            return "none"
        return self.reasoning_effort or reasoning.effort

    def budget(self) -> int | None:
        """Return the number of tokens; None: any."""
        given = [getattr(self, name) for name in _BUDGETS]
        given += [self._nested("reasoning").max_tokens, self._nested("thinking").budget_tokens]
        budget = next((tokens for tokens in given if tokens is not None), -1)
        return None if budget < 0 else budget


_BUDGETS: Final = [name for name in ReasoningOptions.__struct_fields__ if "budget" in name or "tokens" in name]


class ChatRequest(Generation, ReasoningOptions, kw_only=True):
    """A request to ``/v1/chat/completions`` and ``/apply-template``."""

    messages: Messages
    tools: Tools = ()
    tool_choice: Annotated[Literal["none", "auto", "required"] | FunctionChoice, Meta(description=CHOICES)] = "auto"
    chat_template_kwargs: dict[str, Any] | None = None
    continue_final_message: bool = False
    max_tokens: Count = 0
    max_completion_tokens: Count | None = None
    logprobs: bool = False
    top_logprobs: Top = 0
    parse_special: bool = False
    reasoning_format: Literal["auto", "none"] = "auto"


class EmbeddingRequest(ModelRequest, kw_only=True):
    """A request to ``/v1/embeddings``."""

    input: Input
    encoding_format: Literal["float", "base64"] = "float"
    dimensions: Any = None
