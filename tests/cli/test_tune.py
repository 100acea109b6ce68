# SPDX-License-Identifier: MIT
"""``pyhexagon tune`` on a scripted board whose best options the tests know, and the profile that it writes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Faults
from llm import tiny

from pyhexagon import LLM, Device, cli
from pyhexagon._ffi import contract
from pyhexagon.bench import tune
from pyhexagon.bench.tune import Line
from pyhexagon.llm.memory import share_of
from pyhexagon.process import profile
from pyhexagon.process.transport import NAMES
from pyhexagon.program.sharing import CPUShare

SLOWER = {1: 3, 2: 1.5, 255: 0.98}  # times of work by the lowest bus corner of the vote: low, balanced, burst
BEST = {"power": "performance", "threads": 3, "dcfetch": True}


@pytest.fixture
def board(tmp_path: Path) -> Board:
    return Board(tmp_path)


class Board:
    """A scripted board. "burst" gains nothing over "performance", and a fourth thread nothing over three."""

    def __init__(self, folder: Path, dcfetch: float = 2200) -> None:  # nanoseconds of a loop over fetched rows
        self.profile = folder / "pyhexagon/profile.json"
        self.rates = folder / "rates"
        self.environment = os.environ | {"XDG_CONFIG_HOME": str(folder)}
        lines = ["clock 1.3e9", "invoke 2000000", "poll 400000", "queue 1000000"]
        lines += [f"corner {corner} {factor}" for corner, factor in SLOWER.items()]
        for n in (1, 2, 3, 4):
            slow_down = max(1, n / 3)  # of each thread
            lines.append(f"work {contract.PROBES['DMA']} {n} {1 << 18} {0.25 * slow_down}")
            lines.append(f"work {contract.PROBES['LOOP_Q4_0']} {n} 32 {2000 * slow_down}")
            lines.append(f"work {contract.PROBES['STORED_Q4_0']} {n} 32 {4000 * slow_down}")
            lines.append(f"work {contract.PROBES['DCFETCH_Q4_0']} {n} 32 {dcfetch * slow_down}")
        self.rates.write_text("\n".join(lines) + "\n")

    def run(self, *arguments: str, options: str = "") -> str:
        environment = self.environment | {"PYHEXAGON_LOOPBACK": f"rates={self.rates}{options}"}
        done = subprocess.run(
            [sys.executable, *arguments], env=environment, capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def tune(self, options: str = "") -> dict[str, Any]:
        result: dict[str, Any] = json.loads(
            self.run("-m", "pyhexagon", "tune", "--device", "loopback", "--json", options=options)
        )
        return result

    def infos(self, *options: str) -> list[dict[str, Any]]:
        """Open a device with each of these options, and return facts and warnings."""
        script = f"""if True:
            import json, warnings
            from pyhexagon import Device
            facts = []
            for options in ({", ".join(f"dict({one})" for one in options)},):
                with warnings.catch_warnings(record=True) as warned, Device("loopback", **options) as device:
                    info = device.info()
                facts.append({{
                    "dcfetch": info.dcfetch, "profile": info.profile,
                    "transport": info.transport, "threads": info.threads, **info.votes,
                    "warnings": [(one.filename, str(one.message)) for one in warned],
                }})
            print(json.dumps(facts))
            """
        infos: list[dict[str, Any]] = json.loads(self.run("-W", "always", "-c", script))
        return infos


def scripted(result: dict[str, Any]) -> dict[str, Any]:
    """What a result chooses by the script alone. The choice of transport and share must be that of its own figures,
    which are round trips and matmuls by this machine's clock."""
    rates: dict[str, Callable[[dict[str, float]], float]] = {
        "transport": lambda figures: 1 / figures["round trip us"],
        "cpu_share": lambda figures: figures["weights GB/s"],
    }
    clocked: dict[str, Any] = {}
    for knob, rate in rates.items():
        lines = [line for line in result["lines"] if line["knob"] == knob and line["figures"]]
        best = max(rate(line["figures"]) for line in lines)
        want = next(line for line in lines if rate(line["figures"]) >= tune.CLOSE * best)
        assert [line for line in lines if line["chosen"]] == [want]
        clocked |= want["options"]
    assert result["choice"].items() >= clocked.items()
    return {name: value for name, value in result["choice"].items() if name not in clocked}


def test_tune_chooses_the_best_options_and_devices_use_them(board: Board) -> None:
    result = board.tune()
    assert scripted(result) == BEST
    assert result["profile"] == str(board.profile)
    transport, latency = (result["choice"][name] for name in ("transport", "latency"))
    chosen = [line["options"] for line in result["lines"] if line["chosen"]]
    assert chosen == [
        {"power": "performance"}, {"threads": 3}, {"dcfetch": True}, {"transport": transport, "latency": latency},
        {"cpu_share": result["choice"]["cpu_share"]},
    ]  # fmt: skip
    figures = {str(line["options"].get("threads")): line["figures"] for line in result["lines"]}
    assert figures["3"] == {"DMA GB/s": pytest.approx(12, rel=0.01), "Q4_0 loops/ms": pytest.approx(1500, rel=0.01)}
    entry = json.loads(board.profile.read_text())["entries"][0]
    assert entry["choice"] == result["choice"]
    assert entry["lines"] == result["lines"]

    default, off, explicit, all_explicit = board.infos(
        "",
        "profile=False",
        "power='low', transport='dspqueue'",
        "power='low', transport='invoke', threads=0, latency_us=0, dcfetch=False",
    )
    chosen_text = f"power performance, threads 3, dcfetch True, transport {transport}, latency {latency}"
    assert default["profile"] == f"{chosen_text} ({board.profile})"
    vote = {"poll": "poll", "qos": "100 us"}[latency]
    used = BEST | {"transport": transport, "latency": vote, "warnings": []}
    assert {name: default[name] for name in used} == used
    assert (off["profile"], off["threads"], off["latency"]) == ("off", 4, "100 us")
    assert (explicit["power"], explicit["transport"], explicit["threads"]) == ("low", "dspqueue", 3)
    assert (off["dcfetch"], all_explicit["dcfetch"]) == (False, False)
    assert explicit["profile"] == f"threads 3, dcfetch True, latency {latency} ({board.profile})"
    assert all_explicit["profile"] == f"none: explicit options replace all of {board.profile}"
    assert (all_explicit["threads"], all_explicit["latency"]) == (4, "none")


@pytest.mark.parametrize(
    ("round_trips", "winner"),
    [((1000, 2000, 400), 2), ((400, 2000, 1000), 0), ((400, 390, 400), 0), ((1000, 300, 310), 1), ((9, 0, 9), 0)],
)
def test_the_transport_that_costs_least_cpu_time_of_those_near_the_fastest_is_chosen(
    round_trips: tuple[float, ...], winner: int
) -> None:
    figures = [{"round trip us": us} if us else {} for us in round_trips]
    lines = [Line("transport", {"transport": str(n)}, rates) for n, rates in enumerate(figures)]
    assert [line.chosen for line in tune._choose(iter(lines))] == [n == winner for n in range(3)]


def test_without_poll_mode_another_transport_is_chosen_and_an_entry_replaced(board: Board) -> None:
    board.profile.parent.mkdir()
    other = {"key": {"board": "other", "device": "cdsp", "skel": "0"}, "choice": {"threads": 2}, "lines": []}
    board.profile.write_text(json.dumps({"schema": profile.SCHEMA, "entries": [other]}))
    assert board.infos("")[0]["profile"].startswith(f"none: {board.profile} has no entry for this board and skel")
    result = board.tune(";poll=0;power=-3")
    assert scripted(result) == {"threads": 3, "dcfetch": True}
    assert result["choice"]["latency"] == "qos"
    details = [line["detail"] for line in result["lines"] if line["knob"] == "power"]
    assert details == ["refused: AEE_EUNSUPPORTED (0x80000414)"] * 4
    result = board.tune(";poll=0")
    assert scripted(result) == BEST
    assert result["choice"]["latency"] == "qos"
    transports = [line for line in result["lines"] if line["knob"] == "transport"]
    assert transports[-1]["detail"] == "not available: 100 us; poll, refused: AEE_EUNSUPPORTED (0x14)"
    entries = json.loads(board.profile.read_text())["entries"]
    assert [entry["choice"] for entry in entries] == [other["choice"], result["choice"]]
    assert os.listdir(board.profile.parent) == ["profile.json"]


def test_dcfetch_that_gains_less_than_it_costs_stays_off(tmp_path: Path) -> None:
    assert scripted(Board(tmp_path, dcfetch=4200).tune()) == BEST | {"dcfetch": False}


def test_a_damaged_profile_is_a_warning_and_not_used(board: Board) -> None:
    board.profile.parent.mkdir()
    board.profile.write_text("{")
    (info,) = board.infos("")
    [[file, text]] = info["warnings"]
    assert file == "<string>"  # the caller of Device
    assert text.startswith(f"{board.profile} is damaged and not used: ")
    assert info["profile"].startswith(f"not used: {board.profile} is damaged: ")
    assert (info["power"], info["threads"]) == ("performance", 4)


CHOICES: list[dict[str, object]] = [
    {"threads": 0}, {"threads": 2.0}, {"threads": True}, {"power": "turbo"}, {"power": []},
    {"transport": None}, {"speed": 1}, {"dcfetch": 1}, {"dcfetch": "on"},
    {"cpu_share": 1.0}, {"cpu_share": 0}, {"cpu_share": "auto"},
]  # fmt: skip
KEY = {"board": "a", "device": "cdsp", "skel": "0"}


@pytest.mark.parametrize(
    "content",
    [
        [],
        {"schema": "other", "entries": []},
        {"schema": profile.SCHEMA},
        {"schema": profile.SCHEMA, "entries": [1]},
        {"schema": profile.SCHEMA, "entries": [{"key": KEY}]},
        *({"schema": profile.SCHEMA, "entries": [{"key": KEY, "choice": choice}]} for choice in CHOICES),
    ],
)
def test_each_other_content_is_damage(content: object, tmp_path: Path) -> None:
    file = tmp_path / "profile.json"
    file.write_text(json.dumps(content))
    with pytest.raises(ValueError, match=r"it |its |entry|expected"):
        profile._read(file)


def test_loopback_neither_writes_nor_reads_a_profile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    result = tune.run("loopback", lambda name: None)
    assert result["profile"] is None
    assert not list(tmp_path.iterdir())
    file = profile.path()
    file.parent.mkdir()
    file.write_text("{")  # a warning, and so an error here, if it were read
    with Device("loopback") as device:
        assert device.info().profile == "none: no DSP"
    for option, shown in (([], "none: no DSP"), (["--no-profile"], "off")):
        assert cli.main(["info", "--device", "loopback", *option]) == 0
        assert ["profile", *shown.split()] in [line.split() for line in capsys.readouterr().out.splitlines()]


def test_a_transport_of_the_profile_that_does_not_work_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, faults: Faults
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setattr(profile, "is_for", lambda library, target: True)
    for transport in NAMES:
        with Device("loopback", profile=False) as device:
            profile.store(device._target, {"transport": transport}, [])
        with Device("loopback") as device:
            assert device.info().transport == transport
    profile.store(device._target, {"transport": "dspqueue"}, [])
    faults.set("dspqueue", 0)
    with Device("loopback") as device:
        assert device.info().transport == "invoke"


def test_a_share_of_the_profile_is_for_those_who_ask_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    model = tiny.write(tmp_path / "m.gguf", "llama")
    run = ["run", str(model), "-p", "the", "-n", "2", "--device", "loopback"]
    with Device("loopback", cpu_share="auto") as device:
        assert device.info().sharing == ""  # no profile
    monkeypatch.setattr(profile, "is_for", lambda library, target: True)
    profile.store(device._target, {"cpu_share": 0.4}, [])
    with Device("loopback") as device:
        assert device.info().sharing == ""
    asked: list[tuple[CPUShare, float, bool]] = [("auto", 0.4, True), (0.2, 0.2, False)]
    for share, used, is_of_profile in asked:
        with Device("loopback", cpu_share=share) as device:
            assert share_of(device) == used
            assert ("cpu_share 0.4" in device.info().profile) == is_of_profile
    with LLM(model, 64, device="loopback") as llm:
        assert share_of(llm.device) == 0.4
    for more, is_shared in (([], True), (["--cpu-share", "0"], False), (["--no-profile"], False)):
        assert cli.main([*run, *more]) == 0
        assert ("CPU computed" in capsys.readouterr().err) == is_shared


def test_the_least_costly_candidate_that_is_close_to_the_best_is_chosen() -> None:
    def chosen(*figures: dict[str, float]) -> int | None:
        lines = tune._choose(Line("threads", {"threads": n}, one) for n, one in enumerate(figures))
        return next((line.options["threads"] for line in lines if line.chosen), None)

    assert chosen({"a": 90, "b": 98}, {"a": 98, "b": 97}, {"a": 100, "b": 100}) == 1
    assert chosen({"a": 50, "b": 100}, {}, {"a": 100, "b": 80}) == 2  # none is close in both: the least loss
    assert chosen({"round trip us": 100}, {"round trip us": 60}, {"round trip us": 59}) == 1
    assert chosen({}, {}) is None
