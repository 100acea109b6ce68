# SPDX-License-Identifier: MIT
"""``pyhexagon info``: open the device and show its properties."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from pyhexagon.bench import sensors, silicon_host
from pyhexagon.cli import on_board
from pyhexagon.cli.output import Output, add_device_options, add_vote_options, device_options
from pyhexagon.device import Device
from pyhexagon.info import DeviceInfo
from pyhexagon.memory import capacity
from pyhexagon.memory.capacity import Room


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_device_options(parser)
    add_vote_options(parser)
    parser.add_argument("--memory", action="store_true", help="measure how much more memory can be mapped")
    on_board.add_option(parser)


def run(options: argparse.Namespace, output: Output) -> None:
    with Device(options.device, **device_options(options)) as device:
        info = device.info()
        rooms = device.capacity() if options.memory else []
        clock = silicon_host.clock(device)
    read, memory = sensors.Sensors().read(), capacity.host()
    if output.as_json:
        measured = {"capacity": [asdict(room) for room in rooms]} if options.memory else {}
        output.json({
            **asdict(info), "dsp_clock_ghz": clock, "sensors": read, "host": memory._asdict(), **measured
        })
        return
    output.facts([
        ("device", f"{info.device}{' (no DSP is used)' if info.loopback else ''}"),
        *([("DSPs here", ", ".join(info.devices))] if info.devices[1:] else []),
        ("library", info.library),
        ("skel", f"{info.skel} (contract {info.contract_version}, build {info.build_id:016x})"),
        *([("  chosen", info.skel_reason)] if info.skel_reason else []),
        ("arch", info.arch),
        ("threads", str(info.threads)),
        ("HVX units", str(info.hvx_units)),
        ("VTCM", f"{info.vtcm_bytes:,} bytes"),
        ("coherence", info.coherence),
        ("memory", f"{info.memory_bytes:,} bytes, {info.pooled_bytes:,} of them pooled"),
        *((f"  session {number}", text) for number, text in enumerate(_sessions(info, rooms))),
        ("  host", f"{memory.process:,} bytes of this process, {memory.free:,} of the system's {memory.total:,} free"),
        ("requests", f"{info.n_requests:,}"),
        ("  DMA failures", f"{info.n_dma_failures:,}"),
        ("  DMA fallbacks", f"{info.n_dma_fallbacks:,}"),
        *((f"{name} vote", vote) for name, vote in info.votes.items()),
        ("DSP clock", f"{clock:.3g} GHz under load, measured" if clock else "not measured: no cycle counter"),
        *((name, text) for name, values in read.items() if (text := sensors.shown(name, values))),
        ("dcfetch", "on" if info.dcfetch else "off"),
        ("profile", info.profile),
        ("thread stack", info.thread_stack),
        ("notifications", info.notifications),
        *((f"switch {name}", str(value)) for name, value in info.switches.items()),
        *([("CPU share", info.sharing)] if info.sharing else []),
        ("transport", info.transport),
        *(
            (f"  {name}", f"{figure:.0f} us a round trip" if isinstance(figure, float) else figure)
            for name, figure in sorted(info.transports.items())
        ),
    ])


def _sessions(info: DeviceInfo, rooms: Sequence[Room]) -> Iterator[str]:
    """Yield the ids of each session, its mapped bytes, and the bytes that it can still map if measured."""
    for number, (mapped, workspace) in enumerate(zip(info.sessions, info.workspace_bytes, strict=True)):
        least = "" if not rooms or rooms[number].limited else "at least "
        more = f", {least}{rooms[number].free_bytes:,} more can be" if rooms else ""
        domain = info.domains[number]
        ids = f"session id {domain['session_id']}, domain id {domain['domain_id']}"
        yield f"{mapped:,} bytes mapped{more}; {workspace:,} of them are the workspace ({ids})"
