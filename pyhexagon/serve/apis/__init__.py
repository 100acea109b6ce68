# SPDX-License-Identifier: MIT
"""The APIs, each a file with its routes: what a request says, and what its response looks like.

    requests: the fields of completions and chats, of all APIs; tools, adapters: parts of them
    shape: the interface of a response's format
    openai, openai_answers, rerank, token_routes: OpenAI's API, and what others add to it
    responses, response_shape, response_store: OpenAI's Responses
    anthropic, llama_cpp: of these
    ollama, model_card: Ollama's
    service: what the routes share: read a body, run its requests, answer
    generation_response: carries chunks from the backend's threads to the client
    openapi, operations: the description of all routes

To add an API, write a file with a function ``routes`` and list it in ``pyhexagon.serve.app``.
"""
