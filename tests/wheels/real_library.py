# SPDX-License-Identifier: MIT
"""Calls the real libcdsprpc where no DSP is, through the binding; a program of its own, run by test_aarch64.py.

One line of JSON before each step and one after it, so that a step which hangs or crashes is known by its name. A step
gives [exception class, call, code], or what the call returned.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from functools import partial

from pyhexagon import Device
from pyhexagon._ffi import dspqueue, remote, rpcmem
from pyhexagon._ffi._generated import ffi
from pyhexagon._ffi.invoke import handle64_invoke
from pyhexagon._ffi.library import FEATURES, Handle64, load
from pyhexagon.errors import HexagonError, check

URI = "file:///libx_skel.so?x_skel_handle_invoke&_modver=1.0"
ON_CDSP = URI + "&_dom=cdsp"
ASYNC = 9
MADE_UP = 0x12345678


def step(name: str, call: Callable[[], object]) -> None:
    print(json.dumps({"begin": name}), flush=True)
    started = time.monotonic()
    result: object
    try:
        result = call()
    except HexagonError as error:
        result = [type(error).__name__, error.call, error.code]
    print(json.dumps({"step": name, "result": result, "seconds": time.monotonic() - started}), flush=True)


def in_a_thread(call: Callable[[], object]) -> object:
    results: list[object] = []

    def run() -> None:
        try:
            results.append(call())
        except HexagonError as error:
            results.append([type(error).__name__, error.call, error.code])

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return results[0]


def main() -> None:
    def device() -> str:
        try:
            Device()
        except HexagonError as error:
            return f"{type(error).__name__}: {error}"
        return "opened"

    step("Device()", device)
    library = load()
    step("path", lambda: library.path)
    step("lacks", lambda: sorted(set(FEATURES) - library.features))
    for attribute in (remote.DOMAIN_SUPPORT, ASYNC, remote.UNSIGNED_PD_SUPPORT, remote.ARCH_VER, remote.VTCM_COUNT):
        step(f"dsp_info {attribute}", partial(remote.dsp_info, library, remote.CDSP, attribute))
    block = ffi.new("fastrpc_capability *", (remote.CDSP, 0, 0))
    session_control = library.remote_session_control
    step("capability block as session control", lambda: check("remote_session_control", session_control(2, block, 12)))
    step("enable_unsigned", lambda: remote.enable_unsigned(library, remote.CDSP))
    slot = ffi.new("remote_handle64 *", MADE_UP)
    raw_open = library.remote_handle64_open
    step("open", lambda: remote.handle64_open(library, ON_CDSP))
    step("open again", lambda: remote.handle64_open(library, ON_CDSP))
    step("open in another thread", lambda: in_a_thread(lambda: remote.handle64_open(library, ON_CDSP)))
    step("open without a domain", lambda: remote.handle64_open(library, URI))
    step("raw open without a domain", lambda: check("remote_handle64_open", raw_open(URI.encode(), slot)))
    step("raw open", lambda: check("remote_handle64_open", raw_open(ON_CDSP.encode(), slot)))
    step("handle is untouched", lambda: slot[0] == MADE_UP)
    step("rpcmem_alloc", lambda: rpcmem.rpcmem_alloc(library, 4096, []))
    step("dspqueue_create", lambda: dspqueue.Queue(library, remote.CDSP).closed)
    step("fastrpc_mmap", lambda: remote.fastrpc_mmap(library, remote.CDSP, 0, 0, 4096))
    step("mem_map", lambda: remote.mem_map(library, remote.CDSP, 0, 0, 4096))
    step("invoke", lambda: handle64_invoke(library, Handle64(MADE_UP), 2, [], []))
    step("raw invoke", lambda: library.remote_handle64_invoke(MADE_UP, 0, ffi.NULL))
    step("close", lambda: remote.handle64_close(library, Handle64(MADE_UP)))
    step("raw close", lambda: check("remote_handle64_close", library.remote_handle64_close(MADE_UP)))


if __name__ == "__main__":
    main()
