# SPDX-License-Identifier: MIT
"""Unpack tiles by the index arithmetic of docs/arithmetic.md, independently of the code that packs them."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import oracle
import recoding
from gguf import GGMLQuantizationType as Q

U8 = npt.NDArray[np.uint8]
I64 = npt.NDArray[np.int64]

# The parts of a block of 32 k in docs/arithmetic.md's terms, and the offset subtracted from the codes.
BLOCKS: dict[Q, tuple[str, int]] = {
    Q.F32: ("floats power", 0),
    Q.F16: ("floats power", 0),
    Q.BF16: ("floats power", 0),
    Q.Q4_0: ("nibbles scales", 8),
    Q.Q4_1: ("nibbles scales m16", 8),
    Q.Q5_0: ("fives scales", 16),
    Q.Q5_1: ("fives scales m16", 16),
    Q.Q8_0: ("bytes scales", 128),
    Q.Q2_K: ("pairs small", 0),
    Q.Q3_K: ("threes", 4),
    Q.Q4_K: ("nibbles", 0),
    Q.Q5_K: ("fives", 0),
    Q.Q6_K: ("sixes small", 32),
    Q.IQ4_NL: ("nibbles scales", 0),
    Q.IQ4_XS: ("nibbles", 0),
    Q.MXFP4: ("nibbles power", 0),
    **dict.fromkeys(recoding.VALUES, ("nibbles scales scales", 0)),
}
Field = tuple[int, int, int, int]  # bits, j, whether of rows 32 to 63, place in the code
# For each part its vectors, for each of these its fields from bit 0 on.
FIELDS: dict[str, list[list[Field]]] = {
    "bytes": [[(8, j, half, 0)] for j in range(8) for half in range(2)],
    "nibbles": [[(4, j, 0, 0), (4, j, 1, 0)] for j in range(8)],
    "pairs": [[(2, j, half, 0) for j in (2 * v, 2 * v + 1) for half in range(2)] for v in range(4)],
    "threes": [
        [(3, 4 * part + v, 0, 0), (3, 4 * part + v, 1, 0), *rest]
        for part in range(2)
        for v, rest in enumerate(
            [[(2, 4 * part + 3, 0, 0)], [(2, 4 * part + 3, 1, 0)], [(1, 4 * part + 3, half, 2) for half in range(2)]]
        )
    ],
    "fives": [[(5, j, 0, 0), (3, j, 1, 2)] for j in range(8)]
    + [[(2, 4 * v + m, 1, 0) for m in range(4)] for v in range(2)],
    "sixes": [[(6, j, 0, 0), (2, j, 1, 4)] for j in range(8)]
    + [[(4, 2 * v + m, 1, 0) for m in range(2)] for v in range(4)],
}
VALUES = recoding.VALUES | {Q.IQ4_NL: oracle.IQ4_VALUES, Q.IQ4_XS: oracle.IQ4_VALUES, Q.MXFP4: oracle.MXFP4_VALUES}
SIX_BITS = {Q.Q4_K: 34, Q.Q5_K: 42}
"""Vectors of four blocks, with the vectors of their scales."""


@dataclass
class Unpacked:
    """All rows of the tiles, including those past n."""

    codes: I64  # (rows, K), signed
    scales: I64  # (rows, n_scales)
    m16: I64  # (rows, K / 32)
    minimums: I64  # (rows, K / 32 or 16)
    dm: I64  # (rows, K / 256)
    exponent: I64
    shift_t: I64
    shift_m: I64


class Tile:
    """Unpacks a tile vector by vector."""

    def __init__(self, dtype: Q, tile: U8, n_blocks: int) -> None:
        self.dtype = dtype
        self.left = list(tile[256:].reshape(-1, 128))[::-1]
        self.columns: dict[str, list[I64]] = {name: [] for name in ("codes", "scales", "m16", "minimums", "dm")}
        for block in range(n_blocks):
            self.place = block % 4  # in the group
            if "power" in BLOCKS[dtype][0] and self.place == 0:
                self.shifts = self.halves()
            if ("small" in BLOCKS[dtype][0] or dtype == Q.Q3_K) and block % 8 == 0:
                self.d16 = self.halves()
                if dtype == Q.Q2_K:
                    self.columns["dm"].append(self.halves())
            if dtype == Q.IQ4_XS and block % 8 == 0:
                self.signed_scales()
            if dtype in SIX_BITS and self.place == 0:
                self.six_bit_scales(block)
            if dtype == Q.Q3_K and self.place == 2:
                self.eight_scales()
            self.block()
            if dtype in SIX_BITS and block % 8 == 7:
                self.columns["dm"].append(self.spread(self.left[-1:-5:-1]))
                quads = [self.left.pop().reshape(32, 4) & 63 for _ in range(4)]
                minimums = np.block([[quads[0], quads[1]], [quads[2], quads[3]]]).astype(np.int64)
                self.columns["minimums"] += list(minimums.T)
        assert not self.left
        words = tile[:256].view("<u4").astype(np.int64)
        self.rows = (words % 65536 ^ 0x8000) - 0x8000, words >> 16 & 0xFF, words >> 24

    def halves(self) -> I64:
        return self.numbers(self.left.pop())

    def numbers(self, vector: U8) -> I64:
        return np.ravel(vector.view("<i2").astype(np.int64).reshape(32, 2).T)  # row + 32 stands beside row

    def spread(self, vectors: list[U8]) -> I64:
        """Return numbers of 16 bits spread over four vectors, shifted."""
        total = sum(self.numbers(vector) >> 2 * i for i, vector in enumerate(vectors))
        return np.asarray((total + 32768) % 65536 - 32768)

    def six_bit_scales(self, block: int) -> None:
        """Unpack two vectors with the scales of four blocks; d16 lies in these and in the next two."""
        if block % 8 == 0:
            group = SIX_BITS[self.dtype]
            self.d16 = self.spread([self.left[-1 - at] for at in (0, 1, group, group + 1)])
        for _ in range(2):
            pair = self.numbers(self.left.pop())
            self.columns["scales"] += [self.d16 * (pair & 63), self.d16 * (pair >> 8 & 63)]

    def eight_scales(self) -> None:
        """Unpack three vectors: five scales have their own bits, two share some."""
        v0, v1, v2 = (self.halves() & 0xFFFF for _ in range(3))
        shared = {2: v0 * 64 + v1 * 4, 5: v2 * 64 + v1 * 16}
        alone = {0: v0, 3: v1, 6: v2, 1: v0 % 64 * 1024, 4: v1 % 64 * 1024, 7: v2 % 64 * 1024}
        for _, number in sorted((shared | alone).items()):
            sc = (number // 1024 % 64 ^ 32) - 32
            self.columns["scales"].append(oracle.mpyr(self.d16, sc * 1024))

    def signed_scales(self) -> None:
        """Unpack four vectors with the scales of eight blocks, and d16."""
        d16 = self.spread(self.left[-1:-5:-1])
        for _ in range(4):
            pair = self.numbers(self.left.pop())
            for sc in (pair & 63, pair >> 8 & 63):
                self.columns["scales"].append(oracle.mpyr(d16, ((sc ^ 32) - 32) * 1024))

    def block(self) -> None:
        codes = np.zeros((64, 32), np.int64)
        parts, offset = BLOCKS[self.dtype]
        for part in parts.split():
            if part == "scales":
                self.columns["scales"].append(self.halves())
            elif part == "power":
                self.columns["scales"].append(1 << 14 >> (self.shifts >> 4 * self.place & 15))
            elif part == "m16":
                self.columns["m16"].append(self.halves())
            elif part == "small":
                self.small_scales()
            elif part == "floats":
                for j in range(16):
                    for half in range(2):
                        two = self.left.pop().view("<i2").reshape(32, 2)
                        codes[32 * half : 32 * half + 32, 2 * j : 2 * j + 2] = two
            else:
                codes = self.fields(FIELDS[part])
        codes = VALUES[self.dtype][codes] if self.dtype in VALUES else codes - offset
        self.columns["codes"] += list(codes.T)

    def fields(self, fields: list[list[Field]]) -> I64:
        """Return the codes of a block whose vectors have these fields."""
        codes = np.zeros((64, 32), np.int64)
        for vector in fields:
            four, at = self.left.pop().reshape(32, 4).astype(np.int64), 0
            for width, j, half, shift in vector:
                codes[32 * half : 32 * half + 32, 4 * j : 4 * j + 4] += (four >> at & (1 << width) - 1) << shift
                at += width
            assert at == 8
        return codes

    def small_scales(self) -> None:
        vector = self.left.pop().astype(np.int64)
        for part in range(2):
            byte = np.ravel(vector.reshape(32, 2, 2)[:, :, part].T)
            if self.dtype == Q.Q2_K:
                self.columns["minimums"].append(byte >> 4)
                self.columns["scales"].append(oracle.mpyr(self.d16, (byte & 15) * 2048))
            else:
                self.columns["scales"].append(oracle.mpyr(self.d16, ((byte ^ 128) - 128) * 256))


def unpack(dtype: Q, tiles: U8, n: int, k: int) -> Unpacked:
    dtype = recoding.TILES.get(dtype, dtype)
    apart = [Tile(dtype, tile, -(-k // 32)) for tile in tiles.reshape(-(-n // 64), -1)]
    parts = [
        np.concatenate([np.array(tile.columns[name], np.int64).reshape(-1, 64).T for tile in apart])
        for name in ("codes", "scales", "m16", "minimums", "dm")
    ]
    parts[0] = parts[0][:, :k]
    return Unpacked(*parts, *(np.concatenate(part) for part in zip(*(tile.rows for tile in apart), strict=True)))
