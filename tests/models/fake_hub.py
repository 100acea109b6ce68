# SPDX-License-Identifier: MIT
"""A hub on this machine: the routes that huggingface_hub's client calls to list and download a repository."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

COMMIT = "0123456789abcdef0123456789abcdef01234567"


class FakeHub:
    """Files of repositories, faults to inject, and what clients asked for.

    Attributes:
        url: of the server.
        files: bytes by repository and file name.
        cut_after: downloads from byte 0 end after this number of bytes; the connection then closes, or ``hangs``.
        damaged: whether downloads deliver a wrong byte.
        descriptions: what it says of a repository in place of the facts, by repository.
        endless: a path of which it sends 256 MiB without a length, unless the client goes away.
        n_sent: bytes of that.
        refusals: status and error code by repository.
        ranges: the first byte of each download.
        tokens: the Authorization headers of all requests.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.files: dict[str, dict[str, bytes]] = {}
        self.cut_after: int | None = None
        self.hangs = False
        self.hung = threading.Event()
        self.damaged = False
        self.descriptions: dict[str, bytes] = {}
        self.endless = ""
        self.n_sent = 0
        self.refusals: dict[str, tuple[int, str]] = {}
        self.ranges: list[int] = []
        self.tokens: set[str] = set()
        self.stopped = threading.Event()

    def info(self, repo: str) -> bytes:
        """Return the hub's API response for a repository."""
        if repo in self.descriptions:
            return self.descriptions[repo]
        siblings = [
            {"rfilename": name, "size": len(data), "blobId": "0",
             "lfs": {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data), "pointerSize": 134}}
            for name, data in self.files[repo].items()
        ]  # fmt: skip
        return json.dumps({"id": repo, "sha": COMMIT, "siblings": siblings, "tags": [], "private": False}).encode()


@contextmanager
def running() -> Iterator[FakeHub]:
    """Run a hub on a free port."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            pass

        def _answer(self, status: int, body: bytes, **headers: str) -> None:
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **headers}.items():
                self.send_header(name.replace("_", "-"), value)
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self) -> None:
            hub.tokens.add(self.headers.get("Authorization") or "")
            path = unquote(self.path.partition("?")[0])
            found = re.fullmatch(r"/api/models/(\w+/[^/]+)|/(\w+/[^/]+)/resolve/(\w+)/(.+)", path)
            repo = (found[1] or found[2]) if found else ""
            if hub.endless and hub.endless in path:
                self._send_endlessly(404 if repo in hub.refusals else 200)
            elif not found or repo in hub.refusals or repo not in hub.files:
                status, code = hub.refusals.get(repo, (404, "RepoNotFound"))
                self._answer(status, b"{}", X_Error_Code=code)
            elif found[1]:
                self._answer(200, hub.info(repo), Content_Type="application/json")
            else:
                assert found[3] == COMMIT
                self._send(hub.files[repo][found[4]])

        def _send_endlessly(self, status: int) -> None:
            self.send_response(status)
            self.end_headers()
            self.close_connection = True
            with suppress(OSError):
                while hub.n_sent < 256 << 20:
                    self.wfile.write(b" " * (1 << 16))
                    hub.n_sent += 1 << 16

        def _send(self, data: bytes) -> None:
            wanted = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
            first = int(wanted[1]) if wanted else 0
            hub.ranges.append(first)
            if hub.damaged:
                data = bytes([data[0] ^ 1]) + data[1:]
            self.send_response(206 if wanted else 200)
            self.send_header("Content-Length", str(len(data) - first))
            if wanted:
                self.send_header("Content-Range", f"bytes {first}-{len(data) - 1}/{len(data)}")
            self.end_headers()
            end = len(data) if hub.cut_after is None or first else hub.cut_after
            self.wfile.write(data[first:end])
            if end < len(data):
                self.wfile.flush()
                if hub.hangs:
                    hub.hung.set()
                    hub.stopped.wait(60)
                self.close_connection = True

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    hub = FakeHub(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield hub
    finally:
        hub.stopped.set()
        server.shutdown()
        thread.join()
        server.server_close()
