# SPDX-License-Identifier: MIT
"""The description of a device."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class DeviceInfo:
    """The properties of a device and of the connection to it.

    Attributes:
        device: the name that was requested.
        devices: the names that ``Device.all(device)`` opens: two on a board with two DSPs.
        library: path of the libcdsprpc in use.
        loopback: whether that is the loopback, so that no DSP computes.
        skel: path of the skel that the DSP loaded.
        skel_reason: why this skel was chosen among the installed versions; for the CPU, the level of its kernels.
        arch: of the DSP ("v68") as the library reports it, else of the skel; "host" for the CPU.
        threads: hardware threads.
        hvx_units: contexts of the vector unit.
        vtcm_bytes: fast memory granted to the DSP process, for prefetched weights; with 0, kernels read them from DDR.
        contract_version, build_id: of the skel.
        coherence: how many of the CDSP's context banks the device tree declares coherent with the CPU's caches.
        transport: the name of the transport in use.
        transports: for each transport, microseconds of a round trip, or why it is not used.
        votes: the votes on DSP clocks ("power") and host wake-up latency ("latency"), and whether they were refused.
        notifications: "registered" if FastRPC reports the death of the DSP process between calls, or why it does not.
        thread_stack: the stack in bytes requested for each FastRPC thread of the DSP, and whether it was refused.
        memory_bytes: shared memory in use or pooled.
        pooled_bytes: the part of it that is free for the next activations and results.
        sessions: the bytes mapped in each session.
        domains: the FastRPC domain of each session: "processor", "session_id" (its number in this process), "domain_id"
            (for calls) and the "uri" that opened the skel.
        workspace_bytes: the part of them that is the DSP's workspace: its programs and scratch memory. It grows when
            an op needs more, and is no part of ``memory_bytes``.
        epoch: how often sessions were opened: 1 at first, one more after each ``reopen`` that replaced one.
        n_requests: the number of requests that the open sessions have answered.
        n_dma_failures, n_dma_fallbacks: the sums of these counters of ``Report`` over those requests.
        dcfetch: whether matmuls of several rows prefetch activations into the DSP's L1 cache.
        switches: the debugging switches that are on; see ``Switches``.
        sharing: the part of products' rows that CPU threads compute for the DSP, and what ran where so far; empty
            without ``cpu_share``.
        profile: the options that the profile of ``pyhexagon tune`` set, and its path; or why there is none.
    """

    device: str
    devices: list[str]
    library: str
    loopback: bool
    skel: str
    skel_reason: str
    arch: str
    threads: int
    hvx_units: int
    vtcm_bytes: int
    contract_version: int
    build_id: int
    coherence: str
    transport: str
    transports: dict[str, float | str]
    votes: dict[str, str]
    thread_stack: str
    notifications: str
    memory_bytes: int
    pooled_bytes: int
    sessions: list[int]
    domains: list[dict[str, str | int]]
    workspace_bytes: list[int]
    epoch: int
    n_requests: int
    n_dma_failures: int
    n_dma_fallbacks: int
    switches: dict[str, object]
    dcfetch: bool
    sharing: str = ""
    profile: str = ""
