# SPDX-License-Identifier: MIT
"""Conversations: messages to a prompt, and a completion to content, reasoning and tool calls.

    templates, rendering: chat templates, which a worker process renders
    host_model: tokenizer, chat template and limits of a model without a device
    repair, variants: messages that a template refuses, or drops a part of
    reasoning, harmony: reasoning apart from the answer; the format of gpt-oss
    thinking: reasoning switched on or off, and bounded
    tool_calls, formats: calls in the formats that models were trained on
    detection: the formats of a model
    openai_format: objects of OpenAI's API, for ``pyhexagon.serve`` and ``pyhexagon.compat``
"""
