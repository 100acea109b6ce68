# SPDX-License-Identifier: MIT
"""llama.cpp's C library through ctypes: a model with a context, and the time of its forward passes.

llama.h passes its parameters as structs by value, and their fields change between versions. Here a struct is a block
of bytes that is larger than any version's: C copies it whole, and the library reads the part that it knows. The fields
that are set are found by their default values; a library with other defaults is refused.
"""

from __future__ import annotations

import ctypes
import re
import struct
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

KINDS: Final = {"f16": 1, "q8_0": 8, "q4_0": 2}  # enum ggml_type
LEVELS: Final = ("avx2", "avx_vnni", "avx512", "avx512_vnni", "amx_int8", "neon", "dotprod", "matmul_int8", "sve")
_N_BATCH: Final = 512  # tokens of a forward pass: llama.cpp's default of n_ubatch
_ERROR: Final = 4  # enum ggml_log_level
# llama_context_default_params: n_ctx, n_batch, n_ubatch and n_seq_max come first; a callback and its data, type_k and
# type_v, another callback and its data, 8 bytes more in some versions; embeddings, offload_kqv, no_perf, op_offload,
# swa_full, kv_unified.
_FIRST: Final = struct.pack("4I", 512, 2048, _N_BATCH, 1)
_TYPES: Final = struct.pack("2i", KINDS["f16"], KINDS["f16"])
_FIELDS: Final = re.compile(
    rb"\0{16}(?P<types>" + re.escape(_TYPES) + rb")\0{16}(?:\0{8})?\0\x01\x01\x01(?P<swa_full>\x01)\0"
)


class Struct(ctypes.Structure):
    """Any of llama.h's structs that are passed by value."""

    _fields_ = (("words", ctypes.c_uint64 * 64),)


_Logger = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)
_P, _I = ctypes.c_void_p, ctypes.c_int
_FUNCTIONS: Final[dict[str, tuple[Any, ...]]] = {  # result and arguments
    "llama_log_set": (None, _Logger, _P),
    "llama_model_default_params": (Struct,),
    "llama_context_default_params": (Struct,),
    "llama_model_load_from_file": (_P, ctypes.c_char_p, Struct),
    "llama_init_from_model": (_P, _P, Struct),
    "llama_set_n_threads": (None, _P, _I, _I),
    "llama_batch_get_one": (Struct, _P, _I),
    "llama_decode": (_I, _P, Struct),
    "llama_synchronize": (None, _P),
    "llama_get_memory": (_P, _P),
    "llama_memory_clear": (None, _P, ctypes.c_bool),
    "llama_memory_seq_rm": (ctypes.c_bool, _P, _I, _I, _I),
    "ggml_backend_load": (_P, ctypes.c_char_p),
}


class LlamaError(Exception):
    """llama.cpp cannot do it; the text is the last error that it logged, if there is one."""


class LlamaLibrary:
    """llama.cpp's functions.

    Args:
        library: the path of the library that has ``llama_decode``.
        cpu: the path of the CPU backend's library, if it is loaded at run time.

    Raises:
        LlamaError: a library or a function of it is missing.
    """

    def __init__(self, library: Path, cpu: Path | None) -> None:
        self.error = ""  # the last that llama.cpp logged
        try:
            self._libraries = [ctypes.CDLL(str(path)) for path in (library, cpu) if path is not None]
        except OSError as error:
            raise LlamaError(str(error)) from None
        self._logger = _Logger(self._log)
        self.call("llama_log_set", self._logger, None)
        if cpu is not None and not self.call("ggml_backend_load", str(cpu).encode()):
            raise LlamaError(self.error or f"llama.cpp cannot use {cpu}")

    def _log(self, level: int, text: bytes, _: object) -> None:
        if level == _ERROR:
            self.error = text.decode(errors="replace").strip() or self.error

    def function(self, name: str) -> Any:
        """Return a function of one of the libraries. LlamaError: there is none."""
        for library in self._libraries:
            if hasattr(library, name):
                return getattr(library, name)
        raise LlamaError(f"llama.cpp's library has no {name}")

    def call(self, name: str, *arguments: Any) -> Any:
        function = self.function(name)
        function.restype, *function.argtypes = _FUNCTIONS[name]
        return function(*arguments)

    def levels(self) -> list[str]:
        """Return the vector extensions that it was compiled for."""
        return [level for level in LEVELS if self.function(f"ggml_cpu_has_{level}")()]


def context_parameters(defaults: bytes, n_ctx: int, kind: str) -> bytes:
    """Return the parameters of a context.

    Args:
        defaults: what ``llama_context_default_params`` returned.
        n_ctx: context length in tokens.
        kind: the KV cache's type. Layers with a window cache only their window, as in llama.cpp's programs.

    Raises:
        LlamaError: the fields are not where their default values say.
    """
    found = list(_FIELDS.finditer(defaults))
    if not defaults.startswith(_FIRST) or len(found) != 1 or found[0].start() % 8:
        raise LlamaError("llama.cpp's library has other default parameters of a context than those known here")
    changed = bytearray(defaults)
    changed[:4] = struct.pack("I", n_ctx)
    changed[slice(*found[0].span("types"))] = struct.pack("2i", KINDS[kind], KINDS[kind])
    changed[found[0].start("swa_full")] = False
    return bytes(changed)


class Context:
    """A model with one sequence.

    Raises:
        LlamaError: llama.cpp cannot run the model.
    """

    def __init__(self, library: LlamaLibrary, path: str, *, n_ctx: int, kind: str, threads: int) -> None:
        self._call = library.call
        self._library, self._cached = library, list[int]()
        model = self._call("llama_model_load_from_file", path.encode(), self._call("llama_model_default_params"))
        if not model:
            raise LlamaError(library.error or "llama.cpp cannot load the model")
        defaults = bytes(self._call("llama_context_default_params"))
        parameters = Struct.from_buffer_copy(context_parameters(defaults, n_ctx, kind))
        self._context = self._call("llama_init_from_model", model, parameters)
        if not self._context:
            raise LlamaError(library.error or "llama.cpp cannot make a context for the model")
        self._call("llama_set_n_threads", self._context, threads, threads)

    def measure(self, tokens: Sequence[int], n_before: int, n_prompt: int) -> list[tuple[float, float]]:
        """Return seconds and CPU seconds of the prompt, and of the tokens after it, which are decoded one by one.

        Args:
            tokens: of the context, the prompt, and the decode steps.
            n_before: the number of tokens of the context before the prompt; its computing is not measured.
            n_prompt: the number of the prompt's tokens.
        """
        self._keep(tokens[:n_before])
        self._decode(tokens[len(self._cached) : n_before], _N_BATCH)
        prompt = _timed(self._decode, tokens[n_before : n_before + n_prompt], _N_BATCH)
        return [prompt, _timed(self._decode, tokens[n_before + n_prompt :], 1)]

    def _keep(self, tokens: Sequence[int]) -> None:
        """Keep the cached tokens that these begin with; none if llama.cpp cannot drop the others alone."""
        n = next((at for at, pair in enumerate(zip(self._cached, tokens, strict=False)) if pair[0] != pair[1]), None)
        n = min(len(self._cached), len(tokens)) if n is None else n
        memory = self._call("llama_get_memory", self._context)
        if not n or not self._call("llama_memory_seq_rm", memory, 0, n, -1):
            n = 0
            self._call("llama_memory_clear", memory, True)
        del self._cached[n:]

    def _decode(self, tokens: Sequence[int], n_batch: int) -> None:
        ids = np.array(tokens, np.int32)
        for at in range(0, len(ids), n_batch):
            part = ids[at : at + n_batch]
            batch = self._call("llama_batch_get_one", part.ctypes.data, len(part))
            if self._call("llama_decode", self._context, batch):
                raise LlamaError(self._library.error or "llama_decode failed")
            self._call("llama_synchronize", self._context)
        self._cached += ids.tolist()


def _timed(decode: Callable[[Sequence[int], int], None], tokens: Sequence[int], n_batch: int) -> tuple[float, float]:
    start, busy = time.perf_counter(), time.process_time()
    decode(tokens, n_batch)
    return time.perf_counter() - start, time.process_time() - busy
