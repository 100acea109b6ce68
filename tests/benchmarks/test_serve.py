# SPDX-License-Identifier: MIT
"""benchmarks.serve: its figures are those of the server, and what fails is counted and named."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from llm import tiny
from serve.serving import NAME, model, serving

from benchmarks import servers
from benchmarks.serve import main
from benchmarks.serve_load import Load, MeasuredServer, run
from pyhexagon import LLM, Device

FIRST, GAP, N_TOKENS = 0.05, 0.05, 5  # seconds until the first chunk and between chunks


class Answers(BaseHTTPRequestHandler):
    """A server with known times; every third request with a prompt of 7 tokens fails."""

    n_requests = 0

    def log_message(self, *_: object) -> None:
        pass

    def _send(self, status: int, content: str) -> None:
        self.send_response(status)
        self.end_headers()
        self.wfile.write(content.encode())

    def do_GET(self) -> None:
        self._send(200, json.dumps({"data": [{"id": "known"}]}))

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path == "/tokenize":
            self._send(200, json.dumps({"tokens": [3, 4, 5]}))
            return
        type(self).n_requests += 1
        if len(body["prompt"]) == 7 and self.n_requests % 3 == 0:
            self._send(503, "full")
            return
        assert set(body["prompt"]) <= {3, 4, 5}
        self.send_response(200)
        self.end_headers()
        for at in range(N_TOKENS):
            time.sleep(GAP if at else FIRST)
            self._event({"choices": [{"text": "a"}]})
        self._event({"choices": [{"text": ""}]})
        self._event({"choices": [], "usage": {"completion_tokens": N_TOKENS}})
        self.wfile.write(b"data: [DONE]\n\n")

    def _event(self, record: object) -> None:
        self.wfile.write(f"data: {json.dumps(record)}\n\n".encode())


@pytest.fixture(scope="module")
def llm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LLM]:
    path = model(tmp_path_factory.mktemp("model"))
    with Device("loopback") as device, LLM(path, 256, n_sequences=8, device=device) as llm:
        yield llm


@pytest.fixture(scope="module")
def known() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def measured(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, Any]]:
    assert main([*arguments, "--json"]) == 0
    records: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    return records


def test_figures_of_a_server_with_known_times(known: str) -> None:
    done: list[None] = []
    (record,) = run([MeasuredServer(known)], Load(4, 8, 6, 9), 2, lambda _: None, lambda: done.append(None))
    assert len(done) == record["requests"] == 16
    assert (record["model"], record["failed"], record["tokens"]) == ("known", 0, 16 * N_TOKENS)
    for name, least in (("ttft_ms", 1e3 * FIRST), ("inter_token_ms", 1e3 * GAP)):
        values = list(record[name].values())
        assert values == sorted(values)
        assert least * 0.9 < values[0] < least * 10
    assert record["tokens_per_second"]["p99"] < 1.1 / GAP
    seconds = 2 * 2 * (FIRST + (N_TOKENS - 1) * GAP)  # two rounds of eight requests of four clients
    assert record["seconds"] > seconds
    assert record["throughput"] == record["tokens"] / record["seconds"]


def test_requests_that_fail_are_counted(known: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = (known, "--clients", "1", "--requests", "6", "-p", "7")
    (record,) = measured(capsys, *command)
    assert (record["requests"], record["failed"], record["failure"]) == (4, 2, "/v1/completions: 503 full")
    assert main([*command]) == 0
    told = capsys.readouterr().out
    assert "4 requests, 2 failed: /v1/completions: 503 full" in told
    assert next(line.split()[-3:] for line in told.splitlines()) == ["p50", "p90", "p99"]


def test_a_running_server(llm: LLM, capsys: pytest.CaptureFixture[str]) -> None:
    with serving(llm, keys=("secret",), n_parallel=8) as here, pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYHEXAGON_API_KEY", "secret")
        (record,) = measured(capsys, here.url, "--clients", "4", "--requests", "8", "-p", "16", "-n", "6")
    assert (record["model"], record["requests"], record["failed"], record["n_prompt"]) == (NAME, 8, 0, 16)
    assert 0 < record["tokens"] <= 8 * 6


def test_servers_that_it_starts_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tiny.write(tmp_path / "tiny.gguf", "llama")
    command = [str(path), "--device", "cpu", "--clients", "3", "--requests", "3", "-p", "16", "-n", "6"]
    against = ["--against", "llama.cpp"] if servers.is_installed() else []
    records = measured(capsys, *command, *against)
    assert [record["server"] for record in records] == ["pyhexagon", *against[1:]]
    assert all((record["requests"], record["failed"]) == (3, 0) for record in records)


def test_what_cannot_be_measured(
    known: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(tiny.write(tmp_path / "tiny.gguf", "llama"))
    monkeypatch.setattr(servers, "is_installed", lambda: False)
    for arguments, words in (
        (["http://127.0.0.1:1"], "cannot be measured"), ([known, "--clients", "0"], "at least 1"),
        ([known, "-r", "0"], "at least 1"), ([known, "--against", "llama.cpp"], "not a URL"),
        ([path, "--device", "cpu", "--parallel", "33"], "did not start: --parallel is 33"),
        ([path, "--device", "cpu", "-p", "9", "--against", "llama.cpp"], "run `pip install xllamacpp`"),
    ):  # fmt: skip
        assert main([*arguments]) == 1
        assert words in capsys.readouterr().err
