# SPDX-License-Identifier: MIT
"""llama.cpp's image encoder, mtmd, through the C functions that xllamacpp's library exports."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_bool, c_char_p, c_float, c_int32, c_size_t, c_uint8, c_uint64, c_void_p
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import xllamacpp  # type: ignore[import-not-found, import-untyped, unused-ignore]

_IMAGE, _NO_FLASH_ATTENTION = 1, 0


class _ModelParams(ctypes.Structure):
    """llama_model_params: its defaults go from one call to another, so that only its size matters."""

    _fields_ = [("content", c_uint64 * 64)]


class _VisionParams(ctypes.Structure):
    """mtmd_context_params, as far as it is set here."""

    _fields_ = [
        ("use_gpu", c_bool), ("device", c_void_p), ("print_timings", c_bool), ("n_threads", c_int32),
        ("image_marker", c_void_p), ("media_marker", c_char_p), ("flash_attn_type", c_int32), ("warmup", c_bool),
        ("others", c_uint64 * 64),
    ]  # fmt: skip


class _Text(ctypes.Structure):
    _fields_ = [("text", c_char_p), ("length", c_size_t), ("add_special", c_bool), ("parse_special", c_bool)]


class Mtmd:
    """A language model with its mmproj file, in llama.cpp.

    Args:
        text, mmproj: the files.
    """

    def __init__(self, text: Path, mmproj: Path) -> None:
        self._library = ctypes.CDLL(xllamacpp.xllamacpp.__file__)
        self._silence = ctypes.CFUNCTYPE(None, c_int32, c_char_p, c_void_p)(lambda *_: None)
        for log in ("llama_log_set", "mtmd_helper_log_set"):
            self._call(log, None, self._silence, None)
        self._call("llama_backend_init", None)
        defaults = self._call("llama_model_default_params", _ModelParams)
        self._model = c_void_p(self._call("llama_model_load_from_file", c_void_p, bytes(text), defaults))
        params = self._call("mtmd_context_params_default", _VisionParams)
        params.use_gpu, params.n_threads, params.warmup = False, 1, False
        params.flash_attn_type, self._marker = _NO_FLASH_ATTENTION, params.media_marker
        self._vision = c_void_p(self._call("mtmd_init_from_file", c_void_p, bytes(mmproj), self._model, params))
        if not self._model.value or not self._vision.value:
            raise RuntimeError(f"llama.cpp cannot load {text} or {mmproj}")

    def _call(self, name: str, result: Any, *arguments: Any) -> Any:
        function = getattr(self._library, name)
        function.restype = result
        return function(*arguments)

    def embeddings(self, picture: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
        """Return the embeddings of a picture (H, W, 3), of all its tiles in the order of the prompt."""
        height, width = picture.shape[:2]
        pixels = np.ascontiguousarray(picture)
        pointer = pixels.ctypes.data_as(POINTER(c_uint8))
        bitmap = c_void_p(self._call("mtmd_bitmap_init", c_void_p, c_int32(width), c_int32(height), pointer))
        chunks = c_void_p(self._call("mtmd_input_chunks_init", c_void_p))
        text = _Text(self._marker, len(self._marker), True, True)
        failed = self._call(
            "mtmd_tokenize", c_int32, self._vision, chunks, ctypes.byref(text), ctypes.byref(bitmap), c_size_t(1)
        )
        if failed:
            raise RuntimeError(f"mtmd_tokenize: {failed}")
        n_columns = self._call("llama_model_n_embd_inp", c_int32, self._model)
        parts = []
        for number in range(self._call("mtmd_input_chunks_size", c_size_t, chunks)):
            chunk = c_void_p(self._call("mtmd_input_chunks_get", c_void_p, chunks, c_size_t(number)))
            if self._call("mtmd_input_chunk_get_type", c_int32, chunk) != _IMAGE:
                continue
            if self._call("mtmd_encode_chunk", c_int32, self._vision, chunk):
                raise RuntimeError("mtmd_encode_chunk failed")
            n_rows = self._call("mtmd_input_chunk_get_n_tokens", c_size_t, chunk)
            rows = self._call("mtmd_get_output_embd", POINTER(c_float), self._vision)
            parts.append(np.ctypeslib.as_array(rows, (n_rows, n_columns)).copy())
        self._call("mtmd_input_chunks_free", None, chunks)
        self._call("mtmd_bitmap_free", None, bitmap)
        return np.concatenate(parts)

    def close(self) -> None:
        """Free it."""
        self._call("mtmd_free", None, self._vision)
        self._call("llama_model_free", None, self._model)
