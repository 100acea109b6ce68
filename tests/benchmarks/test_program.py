# SPDX-License-Identifier: MIT
"""benchmarks.program: one program needs fewer packets, bytes and requests than programs of one op."""

from __future__ import annotations

import json
from typing import Any

import pytest

from benchmarks import program


def test_a_program_saves_packets_bytes_and_requests(
    qemu: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "ROUNDS", 1)
    assert program.main(["--json", "--device", "loopback:qemu", "--threads", "1,2"]) == 0
    records: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    assert [(record["way"], record["threads"], record["requests"]) for record in records] == [
        ("one program", 1, 1), ("programs of one op", 1, 300), ("one program", 2, 1), ("programs of one op", 2, 300),
    ]  # fmt: skip
    for one, many in (records[:2], records[2:]):
        assert one["ops"] == many["ops"] == 300
        assert one["request_bytes"] <= 100
        assert 0 < one["packets"] < many["packets"] - 300 * 500
        assert one["hand_overs"] == many["hand_overs"] == 0  # ops of so few rows stay on one thread
        assert one["us"] > 0
        assert one["us_dsp"] > 0
