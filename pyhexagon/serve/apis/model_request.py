# SPDX-License-Identifier: MIT
"""What requests to a model have in common."""

from __future__ import annotations

from pyhexagon.serve.http.schema import Schema


class ModelRequest(Schema):
    """A request to a model; without a name, to the server's only or first one."""

    model: str | None = None

    @property
    def wanted_ctx(self) -> int:
        """The context length that the model should be loaded with; 0: any."""
        return 0
