# SPDX-License-Identifier: MIT
"""What a device tells of itself."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class DeviceInfo:
    """What a device is and how it is talked to.

    Attributes:
        device: name, as it was asked for.
        library: path of the libcdsprpc in use.
        loopback: whether that is the loopback.
        skel: path of the skel that was shown to the DSP.
        skel_reason: why that one, of the versions that are installed; of the loopback's host engine, the level of its
            CPU kernels.
        arch: of the DSP ("v68") as the library tells it, else of the skel; "host" for the loopback's host engine.
        threads: hardware threads.
        hvx_units: contexts of the vector unit.
        vtcm_bytes: fast memory that the DSP process was granted, for weights on their way; 0: it reads them from DDR.
        contract_version, build_id: of the skel.
        transport: carries requests.
        transports: for each, microseconds of a round trip, or why it is not used.
        votes: what was asked of the DSP's clocks ("power") and of the host's wake-up ("latency"), and what was refused.
        memory_bytes: shared memory in use or pooled.
        pooled_bytes: of it, free for the next activations and results.
        sessions: for each session, the bytes that are mapped in it.
        epoch: how often sessions were opened: 1 at first, one more after each ``reopen`` that was needed.
        switches: those that are on, which find a wrong op; see ``Switches``.
    """

    device: str
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
    transport: str
    transports: dict[str, float | str]
    votes: dict[str, str]
    memory_bytes: int
    pooled_bytes: int
    sessions: list[int]
    epoch: int
    switches: dict[str, object]
