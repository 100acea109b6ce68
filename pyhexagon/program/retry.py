# SPDX-License-Identifier: MIT
"""A request that takes several attempts, because the DSP's workspace was too small for an op of its program.

The skel runs the ops until one finds no memory, and names the op and the missing bytes. The host adds a region to
the workspace and sends the request again, to go on with that op. An op asks for memory before it writes anything.
"""

from __future__ import annotations

from pyhexagon._ffi import contract

_SUMS = ("packets", "n_dispatches", "n_signals", "n_dma_failures", "n_dma_fallbacks")


def go_on(request: bytearray, response: bytes) -> bytearray:
    """Return the request for the next attempt: it begins with the op that failed, if the definition succeeded."""
    request = bytearray(request)
    (failed,) = contract.FIRST_OP.unpack_from(response, contract.RESPONSE_FAILED_OP_OFFSET)
    if failed != contract.NONE:
        contract.FIRST_OP.pack_into(request, contract.FIRST_OP_OFFSET, failed)
    return request


def join(earlier: bytes, later: bytes) -> bytes:
    """Return the response to a request from the responses to its attempts.

    It has the records of all ops that ran, the time of the first start, and sums of the counters.
    """
    before, after = (
        dict(zip(contract.RESPONSE_FIELDS, contract.RESPONSE.unpack_from(response), strict=True))
        for response in (earlier, later)
    )
    n_done = max(before["n_records"] - 1, 0)  # the last one is of the op that failed
    step = (before["size"] - contract.RESPONSE.size) // before["n_records"] if before["n_records"] else 0
    records = earlier[contract.RESPONSE.size :][: n_done * step] + later[contract.RESPONSE.size : after["size"]]
    joined = {
        **after,
        **{name: before[name] + after[name] for name in _SUMS},
        "size": contract.RESPONSE.size + len(records),
        "n_records": n_done + after["n_records"],
        "start_ns": before["start_ns"],
    }
    return contract.RESPONSE.pack(*joined.values()) + records
