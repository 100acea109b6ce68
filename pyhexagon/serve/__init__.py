# SPDX-License-Identifier: MIT
"""OpenAI's HTTP API for a language model. It needs the packages of ``pyhexagon[serve]``.

    from pyhexagon import LLM
    from pyhexagon.serve import serve

    with LLM("model.gguf", n_sequences=4) as llm:
        serve(llm, host="127.0.0.1", port=8080)

serving.py has ``serve``. pool.py has the models (pooled_model.py), which loading.py loads on demand. backend.py is the
seam between the HTTP routes and what computes. scheduler.py has the thread that owns the model: it admits requests,
steps the engine, and reopens a lost DSP (device_gate.py). waiting.py is its fair queue. asked.py parses requests, field
by field (fields.py); tools.py has tools, tool_calls.py finds their calls. shape.py is the interface of response
formats, answers.py builds OpenAI's from the objects of pyhexagon.llm.openai_format, and delivery.py carries them to the
client (http.py). app.py has the routes of all APIs: openai_routes.py (rerank.py), token_routes.py, responses.py
(response_shape.py, response_store.py), anthropic.py, ollama.py (model_card.py), llama_cpp.py; service.py has what they
share. openapi.py describes them (operations.py). guard.py has access, keys.py keys, metrics.py Prometheus metrics,
patience.py connection timeouts, connections.py the connection limit, quota.py fair shares of a limit, places.py of
places, prompts.py tokenization, page.py the chat page, markdown.py the HTML of answers (html.py, formulas.py),
limits.py all limits, server.py the process.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyhexagon.serve.serving import serve

__all__ = ["serve"]


def __getattr__(name: str) -> Any:
    """Return ``serve``; the first access imports its packages."""
    if name != "serve":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from pyhexagon.serve.serving import serve

    return serve
