# SPDX-License-Identifier: MIT
"""The APIs, each a file with its routes: what a request says, and what its response looks like.

    openai_schema: the fields of OpenAI's API, with types that all APIs share
    requests: prompts and parameters of completions and chats, of all APIs; tools, adapters: parts of them
    shape: the interface of a response's format
    openai, openai_answers, rerank, token_routes: OpenAI's API, and what others add to it
    responses, response_shape, response_store: OpenAI's Responses
    anthropic, llama_cpp: of these
    ollama, ollama_schema, model_card: Ollama's
    service: what the routes share: read a body, run its requests, answer
    generation_response: carries chunks from the backend's threads to the client
    openapi: the description of all routes, from their schemas

To add an API, write a file with the schemas of its requests, a function that makes a ``ChatRequest`` of one, the format
of its responses, and a function ``routes``; and list it in ``pyhexagon.serve.app``.
"""
