# SPDX-License-Identifier: MIT
"""OpenAI's HTTP API for a language model. It needs the packages of ``pyhexagon[serve]``.

    from pyhexagon import LLM
    from pyhexagon.serve import serve

    with LLM("model.gguf", n_sequences=4) as llm:
        serve(llm, host="127.0.0.1", port=8080)

Packages; each uses those before it:

    http: access, limits, connections, errors, metrics
    models: the models, and the threads that run them
    apis: OpenAI's, Anthropic's, Ollama's, llama.cpp's; page: the chat page

app.py puts the routes of all APIs together, server.py is the process, and serving.py has ``serve``.
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
