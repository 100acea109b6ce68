# SPDX-License-Identifier: MIT
"""Figures of other implementations, and the limits of the v68 packet, for comparison.

All were measured or collected for this project in November 2026. They are core kernels on one thread; ours are
whole ops, with activations quantized and results converted to float32, so the comparison is not in our favour.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final

_COUNTED: Final = "packets counted by QEMU, one thread, core kernel only"
_STATIC: Final = "packets of the compiled inner loop (static), best of v68 and v73"
_GGML: Final = (
    f"ggml-hexagon of August 2026 built for v68, 4096x4096: {_COUNTED}; "
    "its HVX float instructions were replaced by integer ones of the same shape to make them countable"
)
_GGML_STATIC: Final = f"ggml-hexagon of August 2026: {_STATIC}"


@dataclass(frozen=True)
class Peer:
    """A published or measured figure.

    Attributes:
        type: the weight type that the figure is compared with.
        m: rows of activations.
        static: read from the compiled loop, not counted.
    """

    name: str
    type: str
    m: int
    macs_per_packet: float
    source: str
    static: bool = False


@dataclass(frozen=True)
class Time:
    """A published time of one matmul, N = K = 16384, M = 1."""

    name: str
    type: str
    microseconds: int
    dequantizing: int | None
    source: str


@dataclass(frozen=True)
class Ceiling:
    """The MACs per packet that the hardware allows."""

    macs_per_packet: int
    what: str


THREADS: Final = 1  # of all figures below
_TINYGRAD: Final = f"tinygrad: {_COUNTED}"
PEERS: Final = (
    Peer("ggml-hexagon", "Q4_0", 1, 30.8, _GGML),
    Peer("ggml-hexagon", "Q4_0", 32, 44.3, _GGML),
    Peer("ggml-hexagon", "Q8_0", 1, 39.1, _GGML),
    Peer("ggml-hexagon", "Q8_0", 32, 49.1, _GGML),
    Peer("ggml-hexagon", "Q4_1", 1, 29, _GGML_STATIC, static=True),
    Peer("ggml-hexagon", "Q4_1", 32, 44, _GGML_STATIC, static=True),
    Peer("ggml-hexagon", "IQ4_NL", 1, 29, _GGML_STATIC, static=True),
    Peer("ggml-hexagon", "IQ4_NL", 32, 47, _GGML_STATIC, static=True),
    Peer("ggml-hexagon", "MXFP4", 1, 28, _GGML_STATIC, static=True),
    Peer("ggml-hexagon", "MXFP4", 32, 45, _GGML_STATIC, static=True),
    Peer("chraac", "Q4_0", 1, 8.0, "chraac's hexagon-npu backend: packets of the compiled inner loop", static=True),
    Peer("tinygrad", "Q8_0", 1, 1.45, f"{_TINYGRAD}; int8 1x4096x4096, BEAM=2, no block scales"),
    Peer("tinygrad", "Q8_0", 512, 71.2, f"{_TINYGRAD}; hand-written u8 x i8 512x512x512 product, no block scales"),
)

_CHRAAC: Final = "chraac's backend on a Snapdragon 8 Gen 2 (not a v68), 16384x16384 times one vector"
TIMES: Final = (
    Time("CPU", "F32", 38935, None, _CHRAAC),
    Time("CPU", "Q8_0", 8930, None, _CHRAAC),
    Time("CPU", "Q4_0", 12503, None, _CHRAAC),
    Time("DSP", "F32", 89518, None, _CHRAAC),
    Time("DSP", "Q8_0", 255894, 245178, _CHRAAC),
    Time("DSP", "Q4_0", 96932, 86927, _CHRAAC),
)

CEILINGS: Final = (
    Ceiling(256, "two vrmpy of 128 int8 MACs in every packet"),
    Ceiling(227, "multiply-bound, 4-bit weights, one activation scale per token"),
    Ceiling(205, "multiply-bound, 4-bit weights, one activation scale per 32"),
)


def peers_of(dtype: str, m: int) -> list[Peer]:
    """Return the peers for a matmul of m rows: GEMV figures for one row, GEMM figures for more."""
    return [peer for peer in PEERS if peer.type == dtype and (peer.m == 1) == (m == 1)]


def peers_at(dtype: str, m: int, threads: int) -> list[Peer]:
    """Return the peers of exactly this case: the same number of rows and threads."""
    return [peer for peer in PEERS if (peer.type, peer.m, THREADS) == (dtype, m, threads)]


def times_of(dtype: str, n: int, k: int, m: int) -> list[Time]:
    return [published for published in TIMES if published.type == dtype and (n, k, m) == (16384, 16384, 1)]


def comparison(record: dict[str, Any]) -> dict[str, Any]:
    """Return what peers.py shows beside a record of ``bench matmul``."""
    dtype, m = record["type"], record["m"]
    return {
        "peers": [asdict(peer) for peer in peers_of(dtype, m)],
        "published_times": [asdict(one) for one in times_of(dtype, record["n"], record["k"], m)],
        "ceilings": [asdict(ceiling) for ceiling in CEILINGS],
    }
