# SPDX-License-Identifier: MIT
"""Write calls of earlier turns in the format of a model whose chat template does not: the model then sees what it
did."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pyhexagon.llm.chat.formats.table import detected


def written(template: str, calls: Sequence[Any]) -> str:
    """Return calls as the model of a chat template writes them.

    Args:
        calls: OpenAI's objects, with arguments that are parsed.
    """
    functions = [call["function"] for call in calls if isinstance(call.get("function"), Mapping)]
    pairs = [(each.get("name", ""), each.get("arguments") or {}) for each in functions]
    objects = [json.dumps({"name": name, "arguments": values}, ensure_ascii=False) for name, values in pairs]
    family = detected(template)
    if family in ("lfm2", "minicpm"):
        python = [f"{name}({_keywords(values)})" for name, values in pairs]
        lines = "\n".join(python)
        body = f"[{', '.join(python)}]" if family == "lfm2" else f"\n```python\n{lines}\n```\n"
        return f"<|tool_call_start|>{body}<|tool_call_end|>"
    if family in ("granite", "phi4"):
        return f"<|tool_call|>[{', '.join(objects)}]{'<|/tool_call|>' if family == 'phi4' else ''}"
    return "\n".join(f"<tool_call>\n{each}\n</tool_call>" for each in objects)


def _keywords(arguments: Mapping[str, Any]) -> str:
    return ", ".join(f"{key}={_literal(value)}" for key, value in arguments.items())


def _literal(value: Any) -> str:
    """Return a value as Python writes it, with the strings of JSON."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_literal(key)}: {_literal(each)}' for key, each in value.items())}}}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_literal, value))}]"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)
