# SPDX-License-Identifier: MIT
"""What requests to a model have in common."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from pyhexagon.serve.http.schema import Schema


class ModelRequest(Schema):
    """A request to a model; without a name, to the server's only or first one."""

    model: str | None = None


@runtime_checkable
class ContextRequest(Protocol):
    """A request that may say which context length the model should be loaded with."""

    @property
    def wanted_ctx(self) -> int:
        """The context length; 0: any."""
