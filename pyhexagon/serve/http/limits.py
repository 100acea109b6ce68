# SPDX-License-Identifier: MIT
"""The limits of a server."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

BODY_BYTES: Final = 4 << 20
IMAGES_BODY_BYTES: Final = 32 << 20  # Anthropic's limit: each request repeats all photos of its conversation


@dataclass(frozen=True)
class Limits:
    """Limits of a server.

    Attributes:
        n_parallel: maximum number of running requests.
        n_waiting: maximum number of waiting requests.
        seconds: deadline of a request, from its arrival.
        body_bytes: maximum size of a request body; ``IMAGES_BODY_BYTES`` suits models that take images.
        upload_bytes: maximum size of a request body with an audio file; OpenAI's.
        audio_seconds: maximum duration of an audio file.
        is_cache_per_client: whether prefix caching shares prefixes only within the requests of one client.
    """

    n_parallel: int = 4
    n_waiting: int = 128
    seconds: float = 600.0
    body_bytes: int = BODY_BYTES
    is_cache_per_client: bool = False
    upload_bytes: int = 25 << 20
    audio_seconds: float = 3600.0

    @property
    def all_body_bytes(self) -> int:
        """Maximum size of all request bodies in memory."""
        return max(64 << 20, 4 * self.body_bytes)

    @property
    def all_upload_bytes(self) -> int:
        """Maximum size of all request bodies with audio files, in memory or in temporary files."""
        return 8 * self.upload_bytes
