# SPDX-License-Identifier: MIT
"""llama.cpp's image encoder, mtmd, through the C functions that xllamacpp's library exports."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from ctypes import POINTER, c_bool, c_char_p, c_float, c_int32, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p
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


class _ContextParams(ctypes.Structure):
    _fields_ = [("n_ctx", c_uint32), ("others", c_uint64 * 63)]


class _Batch(ctypes.Structure):
    _fields_ = [
        ("n", c_int32), ("token", c_void_p), ("embd", c_void_p), ("pos", c_void_p), ("n_seq", c_void_p),
        ("seq", c_void_p), ("logits", c_void_p),
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
        chunks = self._chunks(self._marker, picture)
        n_columns = self._call("llama_model_n_embd_inp", c_int32, self._model)
        parts = []
        for chunk in self._each(chunks):
            if self._call("mtmd_input_chunk_get_type", c_int32, chunk) != _IMAGE:
                continue
            if self._call("mtmd_encode_chunk", c_int32, self._vision, chunk):
                raise RuntimeError("mtmd_encode_chunk failed")
            n_rows = self._call("mtmd_input_chunk_get_n_tokens", c_size_t, chunk)
            rows = self._call("mtmd_get_output_embd", POINTER(c_float), self._vision)
            parts.append(np.ctypeslib.as_array(rows, (n_rows, n_columns)).copy())
        self._call("mtmd_input_chunks_free", None, chunks)
        return np.concatenate(parts)

    def logits(
        self, texts: tuple[str, str], picture: npt.NDArray[np.uint8], forced: Sequence[int]
    ) -> tuple[list[int], npt.NDArray[np.float64]]:
        """Return the tokens of a prompt, -1 for each row of a picture, and the logits after it and after each token.

        Args:
            texts: before and after the picture.
            forced: the tokens after the prompt.
        """
        chunks = self._chunks(texts[0].encode() + self._marker + texts[1].encode(), picture)
        tokens: list[int] = []
        for chunk in self._each(chunks):
            n = c_size_t(self._call("mtmd_input_chunk_get_n_tokens", c_size_t, chunk))
            if self._call("mtmd_input_chunk_get_type", c_int32, chunk) == _IMAGE:
                tokens += [-1] * n.value
            else:
                ids = self._call("mtmd_input_chunk_get_tokens_text", POINTER(c_int32), chunk, ctypes.byref(n))
                tokens += ids[: n.value]
        params = self._call("llama_context_default_params", _ContextParams)
        params.n_ctx = 1024
        context = c_void_p(self._call("llama_init_from_model", c_void_p, self._model, params))
        self._call("llama_set_n_threads", None, context, c_int32(1), c_int32(1))
        past = c_int32()
        failed = self._call(
            "mtmd_helper_eval_chunks", c_int32, self._vision, context, chunks, c_int32(0), c_int32(0), c_int32(512),
            c_bool(True), ctypes.byref(past),
        )  # fmt: skip
        if failed:
            raise RuntimeError(f"mtmd_helper_eval_chunks: {failed}")
        vocabulary = c_void_p(self._call("llama_model_get_vocab", c_void_p, self._model))
        n_vocab = self._call("llama_vocab_n_tokens", c_int32, vocabulary)
        rows = []
        for at, one in enumerate([None, *forced]):
            if one is not None:
                token, position = c_int32(one), c_int32(past.value + at - 1)
                batch = _Batch(1, ctypes.addressof(token), None, ctypes.addressof(position))
                if self._call("llama_decode", c_int32, context, batch):
                    raise RuntimeError("llama_decode failed")
            pointer = self._call("llama_get_logits_ith", POINTER(c_float), context, c_int32(-1))
            rows.append(np.ctypeslib.as_array(pointer, (n_vocab,)).astype(np.float64))
        self._call("mtmd_input_chunks_free", None, chunks)
        self._call("llama_free", None, context)
        return tokens, np.stack(rows)

    def _chunks(self, text: bytes, picture: npt.NDArray[np.uint8]) -> c_void_p:
        """Return the chunks of a prompt with one picture (H, W, 3)."""
        height, width = picture.shape[:2]
        pixels = np.ascontiguousarray(picture)
        pointer = pixels.ctypes.data_as(POINTER(c_uint8))
        bitmap = c_void_p(self._call("mtmd_bitmap_init", c_void_p, c_int32(width), c_int32(height), pointer))
        chunks = c_void_p(self._call("mtmd_input_chunks_init", c_void_p))
        given = _Text(text, len(text), False, True)
        failed = self._call(
            "mtmd_tokenize", c_int32, self._vision, chunks, ctypes.byref(given), ctypes.byref(bitmap), c_size_t(1)
        )
        self._call("mtmd_bitmap_free", None, bitmap)
        if failed:
            raise RuntimeError(f"mtmd_tokenize: {failed}")
        return chunks

    def _each(self, chunks: c_void_p) -> Iterator[c_void_p]:
        for number in range(self._call("mtmd_input_chunks_size", c_size_t, chunks)):
            yield c_void_p(self._call("mtmd_input_chunks_get", c_void_p, chunks, c_size_t(number)))

    def close(self) -> None:
        """Free it."""
        self._call("mtmd_free", None, self._vision)
        self._call("llama_model_free", None, self._model)
