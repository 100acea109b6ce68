# SPDX-License-Identifier: MIT
"""The tensors of a whisper model: OpenAI's names, with the shapes that follow from the hyper-parameters."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from pyhexagon.speech.hyper_parameters import HyperParameters


class Role(Enum):
    """What a tensor is, on which its type depends."""

    MATRIX = "matrix"  # of the type that the file was quantized to
    CONVOLUTION = "convolution"  # F16 or F32
    VECTOR = "vector"  # F32: norms, biases, positions


Shaped = tuple[str, Role, tuple[int, ...]]


def tensor_shapes(of: HyperParameters) -> dict[str, tuple[Role, tuple[int, ...]]]:
    """Return the role and the shape, in NumPy's order, of every tensor by name."""
    return {name: (role, shape) for name, role, shape in (*_encoder(of), *_decoder(of))}


def _encoder(of: HyperParameters) -> Iterator[Shaped]:
    width = of.n_audio_state
    yield "encoder.positional_embedding", Role.VECTOR, (of.n_audio_ctx, width)
    for number, n_in in ((1, of.n_mels), (2, width)):
        yield f"encoder.conv{number}.weight", Role.CONVOLUTION, (width, n_in, 3)
        yield f"encoder.conv{number}.bias", Role.VECTOR, (width, 1)
    for index in range(of.n_audio_layer):
        begin = f"encoder.blocks.{index}"
        yield from _attention(f"{begin}.attn", width)
        yield from _feed_forward(begin, width)
    yield from _norm("encoder.ln_post", width)


def _decoder(of: HyperParameters) -> Iterator[Shaped]:
    width = of.n_text_state
    yield "decoder.positional_embedding", Role.VECTOR, (of.n_text_ctx, width)
    yield "decoder.token_embedding.weight", Role.MATRIX, (of.n_vocab, width)
    for index in range(of.n_text_layer):
        begin = f"decoder.blocks.{index}"
        yield from _attention(f"{begin}.attn", width)
        yield from _attention(f"{begin}.cross_attn", width)
        yield from _feed_forward(begin, width)
    yield from _norm("decoder.ln", width)


def _attention(begin: str, width: int) -> Iterator[Shaped]:
    """Yield an attention's tensors and its norm; keys have no bias."""
    yield from _norm(f"{begin}_ln", width)
    for name in ("query", "key", "value", "out"):
        yield f"{begin}.{name}.weight", Role.MATRIX, (width, width)
        if name != "key":
            yield f"{begin}.{name}.bias", Role.VECTOR, (width,)


def _feed_forward(begin: str, width: int) -> Iterator[Shaped]:
    yield from _norm(f"{begin}.mlp_ln", width)
    for number, n_out, n_in in ((0, 4 * width, width), (2, width, 4 * width)):
        yield f"{begin}.mlp.{number}.weight", Role.MATRIX, (n_out, n_in)
        yield f"{begin}.mlp.{number}.bias", Role.VECTOR, (n_out,)


def _norm(name: str, width: int) -> Iterator[Shaped]:
    yield f"{name}.weight", Role.VECTOR, (width,)
    yield f"{name}.bias", Role.VECTOR, (width,)
