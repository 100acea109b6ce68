# SPDX-License-Identifier: MIT
"""What the OpenAPI document says about each route: its fields and its response, as JSON schemas."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

Schema = Mapping[str, Any]

_TEXT: Final[Schema] = {"type": "string"}
_FLAG: Final[Schema] = {"type": "boolean"}
_OBJECT: Final[Schema] = {"type": "object"}
_ANY: Final[Schema] = {}
_TOKENS: Final[Schema] = {"type": "array", "items": {"type": "integer", "minimum": 0}}
_STOPS: Final[Schema] = {"oneOf": [_TEXT, {"type": "array", "items": _TEXT, "maxItems": 16}]}


def _number(least: float, most: float) -> Schema:
    return {"type": "number", "minimum": least, "maximum": most}


def _whole(least: int, most: int = 1 << 30) -> Schema:
    return {"type": "integer", "minimum": least, "maximum": most}


def _choice(*values: str) -> Schema:
    return {"type": "string", "enum": list(values)}


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _record(required: str, **fields: Schema) -> Schema:
    return {"type": "object", "required": required.split(), "properties": fields}


@dataclass(frozen=True)
class Operation:
    """A method of a route.

    Attributes:
        summary: what it does.
        response: schema of its JSON response; None: it is not JSON.
        fields: of the request's JSON object, with their schemas; a field that is null is missing.
        required: names of fields that a request needs.
        stream: media type of the response if the request asks for a stream.
        parameters: of the query string.
    """

    summary: str
    response: Schema | None = field(default_factory=dict)
    fields: Mapping[str, Schema] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    stream: str = ""
    parameters: tuple[str, ...] = ()


_EVENTS: Final = "text/event-stream"
_MODEL: Final[dict[str, Schema]] = {"model": _TEXT}
_SAMPLING: Final[dict[str, Schema]] = {
    "temperature": _number(0, 100), "top_p": _number(0, 1), "min_p": _number(0, 1), "top_k": _whole(0),
    "repeat_penalty": _number(0.01, 100), "frequency_penalty": _number(-100, 100),
    "presence_penalty": _number(-100, 100), "stop": _STOPS, "logit_bias": _OBJECT, "grammar": _TEXT,
    "seed": {"type": "integer"}, "stream": _FLAG,
    "lora": _list(_record("id", id=_whole(0), scale=_number(-1000, 1000))),
}  # fmt: skip
_OPENAI: Final[dict[str, Schema]] = _MODEL | _SAMPLING | {
    "n": _whole(1, 64), "max_tokens": _whole(0), "response_format": _OBJECT, "stream_options": _OBJECT,
}  # fmt: skip
_TOOLS: Final[dict[str, Schema]] = {"tools": _list(_OBJECT), "tool_choice": _ANY}
_TEMPLATE: Final[dict[str, Schema]] = {
    "messages": {"type": "array", "items": _record("role", role=_TEXT), "minItems": 1, "maxItems": 4096}, **_TOOLS,
    "chat_template_kwargs": _OBJECT, "reasoning_effort": _TEXT, "continue_final_message": _FLAG,
}  # fmt: skip
_INPUT: Final[Schema] = {"oneOf": [_TEXT, _TOKENS, _list({"oneOf": [_TEXT, _TOKENS]})]}
_USAGE: Final = _record("prompt_tokens total_tokens", prompt_tokens=_whole(0), total_tokens=_whole(0))
_CHOICES: Final = _list(_record("index finish_reason", index=_whole(0), finish_reason={"type": ["string", "null"]}))
_GENERATED: Final = {"id": _TEXT, "object": _TEXT, "created": _whole(0, 1 << 40), "model": _TEXT, "choices": _CHOICES}
_COMPLETION: Final = _record("id object created model choices usage", **_GENERATED, usage=_USAGE)
_MODEL_RECORD: Final = _record(
    "id object owned_by status", id=_TEXT, object=_TEXT, owned_by=_TEXT,
    status=_record("value", value=_choice("loaded", "loading", "unloaded")),
)  # fmt: skip
_RERANK: Final = Operation(
    "Rank documents by their relevance to a query.",
    _record("model results usage", results=_list(_record("index relevance_score", relevance_score={"type": "number"}))),
    _MODEL | {"query": _TEXT, "documents": _list(_ANY), "top_n": _whole(1), "return_documents": _FLAG},
    ("query", "documents"),
)
_OLLAMA: Final[dict[str, Schema]] = _MODEL | {
    "options": _OBJECT, "format": _ANY, "stream": _FLAG, "think": _ANY, "keep_alive": _ANY, "images": _list(_TEXT),
}  # fmt: skip
_OLLAMA_MODEL: Final = _record("name model size digest details", size=_whole(0, 1 << 50), details=_OBJECT)
_NAMED: Final[dict[str, Schema]] = _MODEL | {"name": _TEXT}
_RESPONSE: Final = _record("id object status model output", id=_TEXT, status=_TEXT, output=_list(_OBJECT))
_MESSAGE_FIELDS: Final[dict[str, Schema]] = _MODEL | _TOOLS | {
    "messages": _list(_record("role", role=_choice("user", "assistant"))), "system": _ANY, "thinking": _OBJECT,
    "output_config": _OBJECT, "max_tokens": _whole(1), "stop_sequences": _STOPS, "temperature": _number(0, 100),
    "top_p": _number(0, 1), "top_k": _whole(0), "stream": _FLAG,
}  # fmt: skip

OPERATIONS: Final[Mapping[tuple[str, str], Operation]] = {
    ("POST", "/v1/completions"): Operation(
        "Continue prompts.", _COMPLETION,
        _OPENAI | {"prompt": _INPUT, "logprobs": _ANY, "echo": _FLAG, "best_of": _whole(1, 64), "suffix": _TEXT},
        ("prompt",), _EVENTS,
    ),
    ("POST", "/v1/chat/completions"): Operation(
        "Answer the last message of a conversation.", _COMPLETION,
        _OPENAI | _TEMPLATE | {
            "max_completion_tokens": _whole(0), "logprobs": _FLAG, "top_logprobs": _whole(0, 20),
            "parse_special": _FLAG, "reasoning_format": _choice("auto", "none"),
        },
        ("messages",), _EVENTS,
    ),
    ("POST", "/v1/embeddings"): Operation(
        "Return embeddings of texts.",
        _record("object data model usage", data=_list(_record("index embedding", index=_whole(0))), usage=_USAGE),
        _MODEL | {"input": _INPUT, "encoding_format": _choice("float", "base64"), "dimensions": _whole(1)}, ("input",),
    ),
    ("POST", "/v1/rerank"): _RERANK,
    ("POST", "/rerank"): _RERANK,
    ("POST", "/tokenize"): Operation(
        "Return the tokens of a text.",
        _record("tokens count", tokens=_TOKENS, count=_whole(0), max_model_len=_whole(1)),
        _MODEL | {
            "content": _TEXT, "add_special": _FLAG, "parse_special": _FLAG, "prompt": _TEXT,
            "add_special_tokens": _FLAG,
        },
    ),
    ("POST", "/detokenize"): Operation(
        "Return the text of tokens.", _record("content prompt", content=_TEXT, prompt=_TEXT),
        _MODEL | {"tokens": _TOKENS}, ("tokens",),
    ),
    ("GET", "/tokenizer_info"): Operation(
        "Return the chat template and special tokens of a model.",
        _record("tokenizer_class bos_token eos_token chat_template", tokenizer_class=_TEXT, bos_token=_ANY),
        parameters=("model",),
    ),
    ("POST", "/apply-template"): Operation(
        "Return a conversation as the model sees it.", _record("prompt", prompt=_TEXT), _MODEL | _TEMPLATE,
        ("messages",),
    ),
    ("GET", "/v1/models"): Operation(
        "List the models.", _record("object data", object=_TEXT, data=_list(_MODEL_RECORD))
    ),
    ("GET", "/v1/models/{name}"): Operation("Return a model.", _MODEL_RECORD),
    ("POST", "/infill"): Operation(
        "Fill a gap in code.", _record(
            "content stop model tokens_predicted", content=_TEXT, stop=_FLAG, tokens_predicted=_whole(0),
            stop_type=_choice("eos", "limit", "word"),
        ),
        _MODEL | _SAMPLING | {
            "input_prefix": _TEXT, "input_suffix": _TEXT, "prompt": _TEXT, "n_predict": _whole(-1),
            "input_extra": _list(_record("text", filename=_TEXT, text=_TEXT)),
        }, (), _EVENTS,
    ),
    ("GET", "/props"): Operation(
        "Return the properties of a model.", _record("model_alias total_slots", total_slots=_whole(1)),
        parameters=("model",),
    ),
    ("GET", "/slots"): Operation(
        "Return which slots are busy.", _list(_record("id n_ctx is_processing", is_processing=_FLAG)),
        parameters=("model",),
    ),
    ("GET", "/lora-adapters"): Operation(
        "List the LoRA adapters that requests can choose.",
        _list(_record("id path scale", id=_whole(0), path=_TEXT, scale={"type": "number"})), parameters=("model",),
    ),
    ("POST", "/v1/responses"): Operation(
        "Create a response.", _RESPONSE,
        _MODEL | _TOOLS | {
            "input": {"oneOf": [_TEXT, _list(_OBJECT)]}, "instructions": _TEXT, "previous_response_id": _TEXT,
            "max_output_tokens": _whole(0), "temperature": _number(0, 100), "top_p": _number(0, 1), "top_k": _whole(0),
            "min_p": _number(0, 1), "seed": {"type": "integer"}, "stream": _FLAG, "parse_special": _FLAG,
            "reasoning": _OBJECT, "text": _OBJECT, "metadata": _OBJECT, "store": _FLAG, "background": _FLAG,
            "truncation": _choice("disabled"),
        },
        ("input",), _EVENTS,
    ),
    ("GET", "/v1/responses/{name}"): Operation("Return a remembered response.", _RESPONSE),
    ("DELETE", "/v1/responses/{name}"): Operation("Forget a response.", _record("id deleted", deleted=_FLAG)),
    ("POST", "/v1/messages"): Operation(
        "Create a message (Anthropic's API).",
        _record("id type role content stop_reason usage", content=_list(_OBJECT), usage=_OBJECT),
        _MESSAGE_FIELDS, ("messages", "max_tokens"), _EVENTS,
    ),
    ("POST", "/v1/messages/count_tokens"): Operation(
        "Count the tokens of a prompt (Anthropic's API).", _record("input_tokens", input_tokens=_whole(0)),
        _MESSAGE_FIELDS, ("messages",),
    ),
    ("POST", "/api/chat"): Operation(
        "Answer a conversation (Ollama's API).", _record("model message done", message=_OBJECT, done=_FLAG),
        _OLLAMA | {"messages": _list(_record("role", role=_TEXT)), "tools": _list(_OBJECT)}, (),
        "application/x-ndjson",
    ),
    ("POST", "/api/generate"): Operation(
        "Continue a prompt (Ollama's API).", _record("model response done", response=_TEXT, done=_FLAG),
        _OLLAMA | {
            "prompt": _TEXT, "system": _TEXT, "raw": _FLAG, "suffix": _TEXT, "template": _TEXT, "context": _TOKENS,
        }, (),
        "application/x-ndjson",
    ),
    ("POST", "/api/embed"): Operation(
        "Return embeddings of texts (Ollama's API).", _record("model embeddings", embeddings=_list(_list(_ANY))),
        _MODEL | {"input": _INPUT, "dimensions": _whole(1), "keep_alive": _ANY}, ("input",),
    ),
    ("POST", "/api/embeddings"): Operation(
        "Return the embedding of a text (Ollama's older API).", _record("embedding", embedding=_list(_ANY)),
        _MODEL | {"prompt": _TEXT, "keep_alive": _ANY}, ("prompt",),
    ),
    ("POST", "/api/show"): Operation(
        "Describe a model (Ollama's API).", _record("details model_info capabilities", details=_OBJECT), _NAMED
    ),
    ("POST", "/api/pull"): Operation(
        "Confirm that the server has a model (Ollama's API).", _record("status", status=_TEXT), _NAMED
    ),
    ("GET", "/api/tags"): Operation(
        "List the models (Ollama's API).", _record("models", models=_list(_OLLAMA_MODEL))
    ),
    ("GET", "/api/ps"): Operation(
        "List the loaded models (Ollama's API).", _record("models", models=_list(_OLLAMA_MODEL))
    ),
    ("GET", "/api/version"): Operation("Return the version.", _record("version", version=_TEXT)),
    ("GET", "/"): Operation("Return the chat page.", None),
    ("POST", "/markdown"): Operation(
        "Return Markdown as HTML.", _record("html", html=_TEXT), {"text": {"type": "string", "maxLength": 1 << 15}},
        ("text",),
    ),
    ("GET", "/health"): Operation("Return whether the device can be used.", _record("status", status=_TEXT)),
    ("GET", "/metrics"): Operation("Return metrics for Prometheus.", None),
    ("GET", "/openapi.json"): Operation("Return this document.", _record("openapi info paths", paths=_OBJECT)),
}  # fmt: skip
