# SPDX-License-Identifier: MIT
"""Conversations: messages to a prompt, and a completion to content, reasoning and tool calls.

    templates, rendering: chat templates, which a worker process renders
    host_model: tokenizer, chat template and limits of a model without a device
    reasoning, harmony: reasoning apart from the answer; the format of gpt-oss
    tool_calls: calls in the formats that models were trained on
    openai_format: objects of OpenAI's API, for ``pyhexagon.serve`` and ``pyhexagon.compat``
"""
