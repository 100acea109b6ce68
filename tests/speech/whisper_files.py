# SPDX-License-Identifier: MIT
"""Small whisper files of random weights, in whisper.cpp's format, written field by field: tests can damage them.

The vocabulary has the real number of tokens, since the numbers of special tokens follow from it; its texts are made up.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import astuple, replace
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
import weights
from gguf import GGMLQuantizationType as Q

from pyhexagon.speech.hyper_parameters import HyperParameters

ENGLISH, MULTILINGUAL, V3 = 51864, 51865, 51866
FTYPES: Final = {
    Q.F32: 0, Q.F16: 1, Q.Q4_0: 2002, Q.Q4_1: 2003, Q.Q8_0: 2007, Q.Q5_0: 2008, Q.Q5_1: 2009,
    Q.Q2_K: 2010, Q.Q3_K: 2011, Q.Q4_K: 2012, Q.Q5_K: 2013, Q.Q6_K: 2014,
}  # fmt: skip
TINY: Final = HyperParameters(ENGLISH, 24, 32, 2, 1, 16, 32, 2, 1, 8, FTYPES[Q.Q8_0])
"""Hyper-parameters of the smallest useful file; others by ``dataclasses.replace``."""

F32 = npt.NDArray[np.float32]


def sized(width: int, n_layers: int, of: HyperParameters = TINY) -> HyperParameters:
    """Return hyper-parameters of another width, with heads of 64 where it has them, and of so many layers."""
    heads = max(1, width // 64)
    return replace(
        of, n_audio_state=width, n_text_state=width, n_audio_head=heads, n_text_head=heads,
        n_audio_layer=n_layers, n_text_layer=n_layers,
    )  # fmt: skip


def shapes(of: HyperParameters) -> dict[str, tuple[int, ...]]:
    """Return the shape of each tensor, written out independently of pyhexagon's table."""
    width = of.n_audio_state
    result: dict[str, tuple[int, ...]] = {}
    vectors, square = {"bias": (width,), "weight": (width,)}, (width, width)
    for side, n_layers in (("encoder", of.n_audio_layer), ("decoder", of.n_text_layer)):
        kinds = ("attn",) if side == "encoder" else ("attn", "cross_attn")
        for layer in range(n_layers):
            at = f"{side}.blocks.{layer}."
            for kind in kinds:
                result |= {f"{at}{kind}_ln.{name}": shape for name, shape in vectors.items()}
                result |= {f"{at}{kind}.{name}.weight": square for name in ("query", "key", "value", "out")}
                result |= {f"{at}{kind}.{name}.bias": (width,) for name in ("query", "value", "out")}
            result |= {f"{at}mlp_ln.{name}": shape for name, shape in vectors.items()}
            result |= {f"{at}mlp.0.weight": (4 * width, width), f"{at}mlp.0.bias": (4 * width,)}
            result |= {f"{at}mlp.2.weight": (width, 4 * width), f"{at}mlp.2.bias": (width,)}
    result |= {f"encoder.ln_post.{name}": shape for name, shape in vectors.items()}
    result |= {f"decoder.ln.{name}": shape for name, shape in vectors.items()}
    result |= {"encoder.positional_embedding": (of.n_audio_ctx, width), "encoder.conv1.weight": (width, of.n_mels, 3)}
    result |= {"encoder.conv1.bias": (width, 1), "encoder.conv2.weight": (width, width, 3)}
    result |= {"encoder.conv2.bias": (width, 1), "decoder.positional_embedding": (of.n_text_ctx, width)}
    return result | {"decoder.token_embedding.weight": (of.n_vocab, width)}


def random_tensors(of: HyperParameters, rng: np.random.Generator) -> dict[str, F32]:
    """Return random weights whose activations stay near 1: norms near the identity, matrices of norm about 1."""
    result: dict[str, F32] = {}
    for name, shape in shapes(of).items():
        values = rng.standard_normal(shape, dtype=np.float32)
        if name.endswith("weight") and len(shape) == 1:
            values = 1 + values / np.float32(10)
        elif len(shape) > 1 and not name.endswith("positional_embedding"):
            values /= np.sqrt(np.prod(shape[1:]), dtype=np.float32)
        else:
            values /= 10
        result[name] = values
    return result


def texts(n_vocab: int) -> list[bytes]:
    """Return the texts of a vocabulary: all bytes, and then words that each begin with a space."""
    n_texts = 50256 if n_vocab == ENGLISH else 50257
    words = [b" w%x" % number for number in range(n_texts - 256)]
    if n_vocab != ENGLISH:
        words[-1] = b""  # as in real files
    return [*(bytes([number]) for number in range(256)), *words]


def header(of: HyperParameters, magic: bytes = b"lmgg") -> bytes:
    return magic + struct.pack("<11i", *astuple(of))


def filters(n_mels: int, n_bins: int = 201) -> bytes:
    """Return triangles like mel filters, with their shape."""
    centers = np.linspace(0, n_bins, n_mels + 2, dtype=np.float32)[1:-1, None]
    triangles: F32 = np.maximum(0, 1 - np.abs(np.arange(n_bins, dtype=np.float32) - centers) / 20).astype(np.float32)
    return struct.pack("<2i", n_mels, n_bins) + triangles.tobytes()


def vocabulary(tokens: list[bytes]) -> bytes:
    return struct.pack("<i", len(tokens)) + b"".join(struct.pack("<i", len(text)) + text for text in tokens)


def tensor_header(name: bytes, shape: tuple[int, ...], dtype: int) -> bytes:
    return struct.pack(f"<{3 + len(shape)}i", len(shape), len(name), dtype, *shape[::-1]) + name


def tensor(name: str, values: F32, matrix_type: Q) -> bytes:
    """Return a tensor with its header, of the type that whisper.cpp gives it in a file of this type."""
    dtype = Q.F32
    if name.endswith("weight") and values.ndim > 1:
        dtype = matrix_type if values.ndim == 2 or matrix_type == Q.F32 else Q.F16
    rows = np.ascontiguousarray(values.reshape(-1, values.shape[-1]))
    content = rows.astype(np.float16).tobytes() if dtype == Q.F16 else weights.quantize(rows, dtype).tobytes()
    return tensor_header(name.encode(), values.shape, int(dtype)) + content


def parts(of: HyperParameters, tensors: Mapping[str, F32]) -> list[bytes]:
    """Return the parts of a file: header, filters, vocabulary, and each tensor."""
    dtype = next(dtype for dtype, number in FTYPES.items() if number % 1000 == of.ftype % 1000)
    head = [header(of), filters(of.n_mels), vocabulary(texts(of.n_vocab))]
    return head + [tensor(name, values, dtype) for name, values in tensors.items()]


def write(path: Path, of: HyperParameters = TINY, *, seed: int = 0) -> Path:
    """Write a file of random weights."""
    path.write_bytes(b"".join(parts(of, random_tensors(of, np.random.default_rng(seed)))))
    return path
