# SPDX-License-Identifier: MIT
"""The codes of GGUF's blocks as vectors: units (T, 64, u, bytes) to (T, u, vectors, 32) words.

The parts that types are made of come first: each takes words of 4 codes in order of k, (..., 64 rows), as `words` finds
them, and writes vectors in which rows i and 32 + i share a byte.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
import recoding
from gguf import GGMLQuantizationType as Q

from pyhexagon._ffi._types import WEIGHT_TYPES
from pyhexagon.quants.tiles import F32, F64, I64, U8, unpack_three
from repacking.words import I16, U16, U32, interleave

_LOW: Final = np.uint32(0x0F0F0F0F)
_HIGH: Final = np.uint32(0xF0F0F0F0)
_PAIRS: Final = np.uint32(0x03030303)
_ROUNDER: Final = np.float32(1.5 * 2**23)  # added to a float32, leaves it rounded to an integer in the low bits


def _bytes(x: int) -> np.uint32:
    word: np.uint32 = np.uint32(0x01010101 * x)
    return word


def words(blocks: U8, at: int, count: int) -> U32:
    """`count` 32-bit words at byte `at` of each unit: (T, 64, u, bytes) to (T, u, count, 64)."""
    return np.ascontiguousarray(blocks[..., at : at + 4 * count].view(np.uint32).transpose(0, 2, 3, 1))


def write_nibbles(both: U32, low: U32, high: U32) -> None:
    """Words whose low and high nibbles belong to two vectors."""
    top, bottom = both[..., :32], both[..., 32:]
    np.bitwise_or(top & _LOW, (bottom & _LOW) << 4, out=low)
    np.bitwise_or(top >> 4 & _LOW, bottom & _HIGH, out=high)


def write_pairs(four: U32, out: U32) -> None:
    """Words (T, u, 16, 64), each 8 of them 2-bit codes of 4 blocks, to those blocks' vectors (T, u, 8, 4, 32)."""
    four = four.reshape(*four.shape[:2], 2, 4, 2, 2, 32)  # 4 blocks, v, j odd, row half, row
    for block in range(4):
        two = four >> 2 * block & _PAIRS
        packed = two[..., 0, 0, :] | two[..., 0, 1, :] << 2 | two[..., 1, 0, :] << 4 | two[..., 1, 1, :] << 6
        out[:, :, block::4] = packed


def write_wide(codes: U32, bits: int, out: U32) -> None:
    """Words of codes of 5 or 6 bits (..., 8 j, 64) to vectors (..., 10 or 12, 32)."""
    top, bottom = codes[..., :32], codes[..., 32:]
    rest = 2 * bits - 8  # of rows 32 and more, what does not fit beside the others
    low = (1 << rest) - 1
    high = bottom & _bytes((1 << bits) - 1 - low)
    high <<= 8 - bits
    np.bitwise_or(top, high, out=out[..., :8, :])
    fields = bottom & _bytes(low)
    fields = fields.reshape(*fields.shape[:-2], rest, 8 // rest, 32)
    for m in range(1, 8 // rest):
        fields[..., 0, :] |= fields[..., m, :] << rest * m
    out[..., 8:, :] = fields[..., 0, :]


def write_threes(codes: U32, out: U32) -> None:
    """Words of codes of 3 bits (..., 8 j, 64) to vectors (..., 6, 32)."""
    codes = codes.reshape(*codes.shape[:-2], 2, 4, 64)
    top, bottom = codes[..., :32], codes[..., 32:]
    out = out.reshape(*out.shape[:-2], 2, 3, 32)
    np.bitwise_or(top[..., :3, :], bottom[..., :3, :] << 3, out=out)
    last, other = top[..., 3, :], bottom[..., 3, :]
    out[..., 0, :] |= (last & _PAIRS) << 6
    out[..., 1, :] |= (other & _PAIRS) << 6
    out[..., 2, :] |= (last & _bytes(4)) << 4 | (other & _bytes(4)) << 5


def write_small_scales(sc: U16, out: U32) -> None:
    """Bytes of two scale blocks, (T, 64, u, 8 blocks), to the same vector of each block, (T, u, 8, 32)."""
    for block in range(8):
        out[:, :, block] = interleave(sc[..., block])


def write_minimums(blocks: U8, out: U32) -> None:
    """The minimums of Q4_K and Q5_K, to (T, u, 4, 32)."""
    minimums = (blocks[..., 8:12] & 63, blocks[..., 12:16] >> 4 | blocks[..., 8:12] >> 6 << 4)
    quads = words(np.concatenate(minimums, axis=-1), 0, 2).reshape(*out.shape[:2], 2, 2, 32)  # quad, half, row
    out[...] = quads.swapaxes(2, 3).reshape(*out.shape[:2], 4, 32)


# The types.


def nibbles_at(at: int) -> Callable[[U8, F64, U32], None]:
    """Of a block whose first 16 codes are low nibbles from byte `at` on, and the others the high ones."""

    def codes(blocks: U8, _: F64, out: U32) -> None:
        write_nibbles(words(blocks, at, 4), out[:, :, 0:4], out[:, :, 4:8])

    return codes


def five_bits_at(at: int) -> Callable[[U8, F64, U32], None]:
    """Of a block with 32 high bits at byte `at` and the rest of its codes after them, as in `nibbles_at`."""

    def codes(blocks: U8, _: F64, out: U32) -> None:
        nibbles, bits = words(blocks, at + 4, 4), words(blocks, at, 1)
        five = np.empty((*bits.shape[:2], 8, 64), np.uint32)
        np.bitwise_and(nibbles, _LOW, out=five[:, :, :4])
        np.bitwise_and(nibbles >> 4, _LOW, out=five[:, :, 4:])
        four = bits >> 4 * np.arange(8, dtype=np.uint32)[:, np.newaxis] & np.uint32(15)
        four *= np.uint32(0x02040810)  # bit c goes to bit 8 * c + 4, among others
        four &= _bytes(16)
        five |= four
        write_wide(five, 5, out[:, :, :10])

    return codes


def each_block(name: str, out: U32) -> U32:
    """The vectors of the 8 blocks of each unit, without those in front and behind: a view, (T, u, 8, vectors, 32)."""
    row = WEIGHT_TYPES[name]
    first, count = row.lead_vectors, 8 * row.vectors_per_block
    return out[:, :, first : first + count].reshape(*out.shape[:2], 8, row.vectors_per_block, 32)


def q8_0(blocks: U8, _: F64, out: U32) -> None:
    biased = words(blocks, 2, 8) ^ np.uint32(0x80808080)
    out[:, :, :16] = biased.reshape(*out.shape[:2], 16, 32)


def q2_k(blocks: U8, _: F64, out: U32) -> None:
    each = each_block("Q2_K", out)
    write_pairs(words(blocks, 16, 16), each[:, :, :, :4])
    write_small_scales(np.ascontiguousarray(blocks[..., :16]).view(np.uint16), each[:, :, :, 4])


def q3_k(blocks: U8, _: F64, out: U32) -> None:
    groups = out[:, :, 1:].reshape(*out.shape[:2], 2, 27, 32)
    two, bit = words(blocks, 32, 16), words(blocks, 0, 8)
    for block in range(8):
        first = 8 * (block // 4)
        codes = two[:, :, first : first + 8] >> np.uint32(2 * (block % 4)) & _PAIRS
        codes |= (bit >> block & _bytes(1)) << 2
        at = 6 * (block % 4) + 3 * (block % 4 // 2)
        write_threes(codes, groups[:, :, block // 4, at : at + 6])
    low = np.ascontiguousarray(blocks[..., 96:104]).view(np.uint32)
    high = np.ascontiguousarray(blocks[..., 104:108]).view(np.uint32)
    sc = np.empty((*blocks.shape[:3], 4), np.uint32)
    for quad in range(4):
        sc[..., quad] = low[..., quad % 2] >> 4 * (quad // 2) & _LOW | (high[..., 0] >> 2 * quad & _PAIRS) << 4
    sc ^= np.uint32(0x20202020)  # less 32, in 6 bits
    eights = sc.view(np.uint8).reshape(*blocks.shape[:3], 2, 8).astype(np.int64) & 63
    for group in range(2):
        for i, numbers in enumerate(three_of(eights[..., group, :])):
            groups[:, :, group, 12 + i] = interleave(numbers)


def three_of(sc: I64) -> list[U16]:
    """Eight numbers of 6 bits, (..., 8), as three of 16 bits: as `unpack_three` reads them.

    Numbers 2 and 5 are sums of what is there, so they get what is missing.
    """
    v0, v1, v2 = (sc[..., i] << 10 | sc[..., i + 1] for i in (0, 3, 6))
    v1 |= (sc[..., 5] - unpack_three(v0, v1, v2)[..., 5] & 3) << 6  # these low bits need no other missing bits
    missing = sc[..., 2] - unpack_three(v0, v1, v2)[..., 2]
    v0 |= (missing & 60) << 4
    v1 |= (missing & 3) << 8
    v2 |= (sc[..., 5] - unpack_three(v0, v1, v2)[..., 5] & 60) << 4
    return [v.astype(np.uint16) for v in (v0, v1, v2)]


def write_six_bits(blocks: U8, out: U32, groups: U32) -> None:
    """The scales of Q4_K and Q5_K to the first vectors of groups of four blocks, the minimums to the last four."""
    sc = np.concatenate((blocks[..., 4:8] & 63, blocks[..., 12:16] & 15 | blocks[..., 4:8] >> 6 << 4), axis=-1)
    pairs = sc.view(np.uint16).reshape(*blocks.shape[:3], 2, 2)  # group, two blocks
    for group in range(2):
        for vector in range(2):
            groups[:, :, group, vector] = interleave(pairs[..., group, vector])
    write_minimums(blocks, out[:, :, -4:])


def q4_k(blocks: U8, _: F64, out: U32) -> None:
    groups = out[:, :, :68].reshape(*out.shape[:2], 2, 34, 32)
    both = words(blocks, 16, 32).reshape(*out.shape[:2], 2, 2, 8, 64)
    for two in range(2):
        first = 2 + 16 * two
        write_nibbles(both[:, :, :, two], groups[..., first : first + 8, :], groups[..., first + 8 : first + 16, :])
    write_six_bits(blocks, out, groups)


def write_spread(numbers: I16, out: U32, vectors: tuple[int, ...]) -> None:
    """d16 or dm (T, 64, u) to the upper two bits of the bytes of four vectors, which are 0 so far."""
    four = [out[:, :, vector].view(np.int16).astype(np.int64) for vector in vectors]  # (T, u, 64)
    want = np.ascontiguousarray(interleave(numbers)).view(np.int16).astype(np.int64)
    missing = want - sum(vector >> 2 * i for i, vector in enumerate(four))
    negative = 1 << 13 | 1 << 11 | 1 << 9  # what the highest bits of the others count
    bits = (missing + negative ^ negative) & 0xFFFF
    for i, vector in enumerate(vectors):
        out[:, :, vector] |= np.ascontiguousarray((bits << 2 * i & 0xC0C0).astype(np.uint16)).view(np.uint32)


def q5_k(blocks: U8, _: F64, out: U32) -> None:
    groups = out[:, :, :84].reshape(*out.shape[:2], 2, 42, 32)
    low, bit = words(blocks, 48, 32), words(blocks, 16, 8)
    for block in range(8):
        first = 8 * (block // 2)
        codes = low[:, :, first : first + 8] >> np.uint32(4 * (block % 2)) & _LOW
        codes |= (bit >> block & _bytes(1)) << 4
        at = 2 + 10 * (block % 4)
        write_wide(codes, 5, groups[:, :, block // 4, at : at + 10])
    write_six_bits(blocks, out, groups)


def q6_k(blocks: U8, _: F64, out: U32) -> None:
    each = each_block("Q6_K", out)
    low, two = words(blocks, 0, 32), words(blocks, 128, 16)
    for block in range(8):
        half, at = divmod(block, 4)
        first = 16 * half + 8 * (at % 2)
        codes = low[:, :, first : first + 8] >> np.uint32(4 * (at // 2)) & _LOW
        codes |= (two[:, :, 8 * half : 8 * half + 8] >> 2 * at & _PAIRS) << 4
        write_wide(codes, 6, each[:, :, block, :12])
    sc = np.ascontiguousarray(blocks[..., 192:208])
    write_small_scales(sc.view(np.uint16), each[:, :, :, 12])


def iq4_xs(blocks: U8, _: F64, out: U32) -> None:
    each = each_block("IQ4_XS", out)
    both = words(blocks, 8, 32).reshape(*out.shape[:2], 8, 4, 64)
    write_nibbles(both, each[:, :, :, 0:4], each[:, :, :, 4:8])
    sc = np.empty((*blocks.shape[:-1], 8), np.uint8)
    for block in range(8):
        low, high = blocks[..., 4 + block // 2] >> 4 * (block % 2) & 15, blocks[..., 2 + block // 4]
        sc[..., block] = (low | (high >> 2 * (block % 4) & 3) << 4) ^ 32  # less 32, in 6 bits
    for vector in range(4):
        out[:, :, vector] = interleave(sc.view(np.uint16)[..., vector])


# Memory just allocated is slow, since its pages are made one by one: floats are worked on in place where possible.


def f32(blocks: U8, d: F64, out: U32) -> None:
    _write_floats(blocks.view(np.float32), np.empty((*blocks.shape[:3], 32), np.float32), d, out)


def f16(blocks: U8, d: F64, out: U32) -> None:
    bits = blocks.view(np.int16).astype(np.int32)
    bits <<= 13
    bits &= np.int32(-0x70002000)
    x = bits.view(np.float32)
    x *= np.float32(2.0**112)  # what the exponents' biases differ by: right for subnormals, too
    _write_floats(x, x, d, out)


def bf16(blocks: U8, d: F64, out: U32) -> None:
    bits = blocks.view(np.uint16).astype(np.uint32)
    bits <<= 16
    x = bits.view(np.float32)
    _write_floats(x, x, d, out)


def _write_floats(x: F32, scaled: F32, d: F64, out: U32) -> None:
    """round(x / d), d being a power of two for each unit or 0; `scaled` is overwritten."""
    inverse = np.divide(1.0, d, out=np.zeros_like(d), where=d != 0)
    if inverse.max() < 2.0**127:
        np.multiply(x, inverse.astype(np.float32), out=scaled)  # exact: what underflows rounds to 0 anyway
        scaled += _ROUNDER
        rounded = scaled.view(np.int32).astype(np.int16)
    else:
        rounded = np.rint(x * inverse).astype(np.int16)
    if not d.all():
        rounded[d[..., 0] == 0] = 0  # rows with NaN or infinity: any bits so far
    rows = rounded.view(np.uint32).reshape(len(out), 2, 32, out.shape[1], 16)
    out[:, :, :32].reshape(*out.shape[:2], 16, 2, 32)[...] = rows.transpose(0, 3, 4, 1, 2)


def recoded(dtype: Q) -> Callable[[U8, F64, U32], None]:
    """Of a type whose tile is another type's or has a codebook."""

    def codes(blocks: U8, d: F64, out: U32) -> None:
        decoded, tile = recoding.decode(dtype, blocks), recoding.TILES.get(dtype, dtype)
        each = decoded.codes.astype(np.uint8)
        if tile in recoding.VALUES:
            all_words = words(each, 0, each.shape[-1] // 4)  # (T, u, words, 64)
            blocks_of = out.reshape(*out.shape[:2], -1, 10, 32)[:, :, :, :8]
            blocks_of[...] = (all_words[..., :32] | all_words[..., 32:] << 4).reshape(blocks_of.shape)
        elif tile == Q.Q3_K:
            made = np.zeros((*blocks.shape[:-1], 110), np.uint8)  # all small scales are -32
            four = (each & 3).reshape(*each.shape[:-1], 2, 4, 32) << np.arange(0, 8, 2, dtype=np.uint8)[:, None]
            made[..., 32:96] = np.bitwise_or.reduce(four, axis=-2).reshape(*each.shape[:-1], 64)
            eight = (each >> 2).reshape(*each.shape[:-1], 8, 32) << np.arange(8, dtype=np.uint8)[:, None]
            made[..., :32] = np.bitwise_or.reduce(eight, axis=-2)
            q3_k(made, d, out)
        else:
            made = np.zeros((*blocks.shape[:-1], 144), np.uint8)
            two = each.reshape(*each.shape[:-1], 4, 2, 32)
            made[..., 16:] = (two[..., 0, :] | two[..., 1, :] << 4).reshape(*each.shape[:-1], 128)
            sc = (2 * decoded.scales[..., ::2]).astype(np.uint8)
            made[..., 4:8] = made[..., 8:12] = sc[..., :4] | sc[..., 4:] >> 4 << 6
            made[..., 12:16] = (sc[..., 4:] & 15) | sc[..., 4:] << 4
            q4_k(made, d, out)

    return codes
