# SPDX-License-Identifier: MIT
"""Time llama.cpp's matmul on the CPU with one thread. cpu_table.py runs this script in a separate process.

    ggml_matmul.py TYPE N K COPIES    # answers each M, a line of standard input, with a line of JSON

The script loads ggml from the best build of llama.cpp for this CPU (pyhexagon.bench.llama_builds). It runs a graph of
one MUL_MAT with the weight in GGUF's layout ("plain") and, if ggml has repacked kernels for the type, in the layout
that llama.cpp repacks to when it loads a model ("repacked"). Consecutive runs use different copies of the weight, so
that no run finds its weight in the L2 cache. The JSON holds the shortest time of a run in seconds for each layout, and
the first row of the product.
"""

from __future__ import annotations

import ctypes
import json
import sys
import time
from typing import Any, Final, NamedTuple

import numpy as np
from gguf import GGMLQuantizationType

from pyhexagon.bench import accuracy, blocks, llama_builds, matmul
from pyhexagon.bench.llama_library import LlamaLibrary
from pyhexagon.errors import UnsupportedError

F32: Final = 0  # enum ggml_type
SECONDS: Final = 0.03  # of a turn, at least
_KINDS: Final[dict[str, Any]] = {
    "p": ctypes.c_void_p, "i": ctypes.c_int, "l": ctypes.c_int64, "z": ctypes.c_size_t, "s": ctypes.c_char_p,
    "b": ctypes.c_bool,
}  # fmt: skip
_FUNCTIONS: Final = {  # result and arguments
    "backend_cpu_init": "p", "backend_cpu_reg": "p", "backend_cpu_set_n_threads": "ipi", "backend_reg_dev_get": "ppz",
    "backend_reg_get_proc_address": "pps", "backend_get_default_buffer_type": "pp", "new_tensor_2d": "ppill",
    "mul_mat": "pppp", "new_graph": "pp", "build_forward_expand": "ipp", "backend_alloc_ctx_tensors_from_buft": "ppp",
    "backend_tensor_set": "ippzz", "backend_tensor_get": "ippzz", "backend_graph_compute": "ipp",
    "backend_dev_supports_op": "bpp", "backend_buffer_free": "ip", "free": "ip",
}  # fmt: skip


class _InitParams(ctypes.Structure):
    _fields_ = (("size", ctypes.c_size_t), ("buffer", ctypes.c_void_p), ("no_alloc", ctypes.c_bool))


class _Allocated(NamedTuple):
    """Tensors whose data ggml has allocated."""

    context: int
    tensors: list[int]
    buffer: int


class Ggml:
    """The library, with its CPU backend."""

    def __init__(self) -> None:
        build = llama_builds.best()
        if build.library is None:
            raise UnsupportedError(f"{build.name} is a program: ggml's matmul is measured in a library")
        self.name, self._library = build.name, LlamaLibrary(build.library, build.cpu)
        self._functions = {name: self._library.function(f"ggml_{name}") for name in (*_FUNCTIONS, "init")}
        for name, kinds in _FUNCTIONS.items():
            function = self._functions[name]
            function.restype = _KINDS[kinds[0]]
            function.argtypes = [_KINDS[kind] for kind in kinds[1:]]
        self._functions["init"].restype, self._functions["init"].argtypes = ctypes.c_void_p, [_InitParams]
        self.backend = self.call("backend_cpu_init")
        self.call("backend_cpu_set_n_threads", self.backend, 1)
        self.plain: int = self.call("backend_get_default_buffer_type", self.backend)
        registry = self.call("backend_cpu_reg")
        self.device = self.call("backend_reg_dev_get", registry, 0)
        address = self.call("backend_reg_get_proc_address", registry, b"ggml_backend_dev_get_extra_bufts")
        extra = ctypes.CFUNCTYPE(ctypes.POINTER(ctypes.c_void_p), ctypes.c_void_p)(address)(self.device)
        self.repacked: list[int] = []
        while extra and (kind := extra[len(self.repacked)]):
            self.repacked.append(kind)

    def call(self, name: str, *arguments: Any) -> Any:
        return self._functions[name](*arguments)

    def levels(self) -> list[str]:
        """Return the vector extensions that it was compiled for."""
        return self._library.levels()

    def context(self) -> int:
        return int(self.call("init", _InitParams(1 << 20, None, True)))  # for all but the data of tensors

    def allocate(self, kind: int, dtype: int, k: int, n: int) -> _Allocated:
        """Return a tensor in a kind of buffer."""
        context = self.context()
        tensor = self.call("new_tensor_2d", context, dtype, k, n)
        buffer = self.call("backend_alloc_ctx_tensors_from_buft", context, kind)
        if not buffer:
            raise MemoryError("ggml has no memory for a tensor")
        return _Allocated(context, [tensor], buffer)

    def free(self, allocated: _Allocated) -> None:
        self.call("backend_buffer_free", allocated.buffer)
        self.call("free", allocated.context)

    def takes(self, kind: int, dtype: int, k: int, n: int) -> bool:
        """Return whether it multiplies with a weight of this type in this kind of buffer."""
        weight, context = self.allocate(kind, dtype, k, n), self.context()
        product = self.call("mul_mat", context, *weight.tensors, self.call("new_tensor_2d", context, F32, k, 1))
        can: bool = self.call("backend_dev_supports_op", self.device, product)
        self.call("free", context)
        self.free(weight)
        return can

    def product(self, weight: int, x: accuracy.F32) -> _Allocated:
        """Return the tensors of a product with rows x: the product, and a graph that computes it."""
        context = self.context()
        rows = self.call("new_tensor_2d", context, F32, x.shape[1], len(x))
        product, graph = self.call("mul_mat", context, weight, rows), self.call("new_graph", context)
        self.call("build_forward_expand", graph, product)
        buffer = self.call("backend_alloc_ctx_tensors_from_buft", context, self.plain)
        self.call("backend_tensor_set", rows, x.ctypes.data, 0, x.nbytes)
        return _Allocated(context, [product, graph], buffer)


def measure(ggml: Ggml, weights: list[_Allocated], n: int, x: accuracy.F32) -> tuple[float, list[float]]:
    """Return the least seconds of a run, and the product's first row."""
    products = [ggml.product(weight.tensors[0], x) for weight in weights]
    least, end, at, row = float("inf"), time.perf_counter() + SECONDS, 0, np.empty(n, np.float32)
    while at < 2 or time.perf_counter() < end:
        _, graph = products[at % len(products)].tensors
        start, busy = time.perf_counter(), time.process_time()
        ggml.call("backend_graph_compute", ggml.backend, graph)
        least = min(least, time.perf_counter() - start, time.process_time() - busy)
        at += 1
    ggml.call("backend_tensor_get", products[0].tensors[0], row.ctypes.data, 0, row.nbytes)
    for product in products:
        ggml.free(product)
    return least, row.tolist()


def main(type_name: str, *sizes: str) -> None:
    dtype, (n, k, n_copies) = GGMLQuantizationType[type_name], map(int, sizes)
    ggml, raw = Ggml(), blocks.random_blocks(dtype, n, k, matmul.SEED)
    kinds = {"plain": ggml.plain}
    for kind in ggml.repacked:
        if ggml.takes(kind, dtype, k, n):
            kinds["repacked"] = kind
    weights: dict[str, list[_Allocated]] = {}
    for name, kind in kinds.items():
        weights[name] = [ggml.allocate(kind, dtype, k, n) for _ in range(n_copies)]
        for weight in weights[name]:
            ggml.call("backend_tensor_set", *weight.tensors, raw.ctypes.data, 0, raw.nbytes)
    print(json.dumps({"build": ggml.name, "levels": ggml.levels()}), flush=True)
    for line in sys.stdin:
        x = accuracy.normal(int(line), k, matmul.SEED)
        found = {name: measure(ggml, copies, n, x) for name, copies in weights.items()}
        seconds = {name: least for name, (least, _) in found.items()}
        print(json.dumps({"seconds": seconds, "rows": {name: row for name, (_, row) in found.items()}}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
