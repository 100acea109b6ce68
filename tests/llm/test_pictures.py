# SPDX-License-Identifier: MIT
"""Pictures from files, URLs, bytes, Pillow's images and arrays, and what hostile or broken ones give."""

from __future__ import annotations

import base64
import io
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from llm.vision_files import picture
from pyhexagon import ArgumentError
from pyhexagon.llm.vision import pictures
from pyhexagon.llm.vision.pictures import picture_of

PLAIN = picture(23, 17)


def encoded(image: Image.Image, kind: str = "PNG", **more: Any) -> bytes:
    stream = io.BytesIO()
    image.save(stream, kind, **more)
    return stream.getvalue()


def plain() -> Image.Image:
    return Image.fromarray(PLAIN)


def png_of_size(width: int, height: int) -> bytes:
    """Return the beginning of a PNG that claims a size, and has a few bytes of it."""
    result = b"\x89PNG\r\n\x1a\n"
    for name, data in (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)), (b"IDAT", zlib.compress(bytes(1000))),
        (b"IEND", b""),
    ):  # fmt: skip
        result += struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    return result


def test_each_way_to_pass_a_picture(tmp_path: Path) -> None:
    data = encoded(plain())
    path = tmp_path / "p.png"
    path.write_bytes(data)
    url = "data:image/png;base64," + base64.b64encode(data).decode()
    for value in (PLAIN, plain(), data, bytearray(data), path, str(path), f"file://{path}", url):
        assert np.array_equal(picture_of(value), PLAIN)
    assert np.array_equal(picture_of(url, may_read_files=False), PLAIN)


@pytest.mark.parametrize("kind", ["PNG", "BMP", "GIF", "WEBP", "JPEG"])
def test_formats(kind: str) -> None:
    got = picture_of(encoded(plain(), kind))
    wanted = np.asarray(Image.open(io.BytesIO(encoded(plain(), kind))).convert("RGB"))
    assert np.array_equal(got, wanted)


def test_modes_become_red_green_and_blue() -> None:
    grey = plain().convert("L")
    levels = np.repeat(np.asarray(grey)[..., None], 3, axis=2)
    assert np.array_equal(picture_of(encoded(grey)), levels)
    deep = Image.fromarray(np.asarray(grey).astype(np.uint16) * 257)
    assert np.array_equal(picture_of(encoded(deep)), levels)
    transparent = plain().convert("RGBA")
    transparent.putalpha(7)
    assert np.array_equal(picture_of(encoded(transparent)), PLAIN)  # as llama.cpp, which drops it
    palette = plain().quantize(16)
    assert np.array_equal(picture_of(encoded(palette)), np.asarray(palette.convert("RGB")))
    one_bit = grey.convert("1")
    assert np.array_equal(picture_of(encoded(one_bit)), np.asarray(one_bit.convert("RGB")))
    cmyk = plain().convert("CMYK")
    got = picture_of(encoded(cmyk, "JPEG", quality=95))
    assert np.abs(got.astype(int) - np.asarray(cmyk.convert("RGB"))).mean() < 12


def test_a_rotated_photo_is_turned() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # turn it by 90 degrees clockwise
    got = picture_of(encoded(plain(), "PNG", exif=exif))
    assert np.array_equal(got, np.rot90(PLAIN, -1))


def test_of_an_animation_the_first_frame() -> None:
    frames = [plain().quantize(32), Image.fromarray(255 - PLAIN).quantize(32)]
    data = encoded(frames[0], "GIF", save_all=True, append_images=frames[1:])
    assert np.array_equal(picture_of(data), np.asarray(frames[0].convert("RGB")))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (b"", "0 bytes: expected 1 to"),
        (b"\0" * 100, "no image of a known format: expected PNG, JPEG"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "no image of a known format"),
        (png_of_size(60000, 60000), "60000 x 60000 pixels: at most 33,554,432"),
        (png_of_size(300, 300), "damaged"),
        (encoded(plain())[:-40], "damaged"),
        (encoded(plain(), "JPEG")[:-40], "damaged"),
        ("data:image/png;base64,####", "no base64"),
        ("data:image/png,abc", "expected data:image"),
        ("https://example.org/a.png", "nothing is fetched"),
        ("/no/such/file.png", "^/no/such/file.png: No such file"),
        ("a\0b", "embedded null byte"),
        (np.zeros((4, 4), np.uint8), "expected uint8"),
        (np.zeros((4, 4, 3), np.float32), "expected uint8"),
        (np.zeros((0, 4, 3), np.uint8), "expected uint8"),
        (None, "expected a data: URL, a path"),
        (7, "expected a data: URL, a path"),
    ],
)
def test_what_is_no_picture(value: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        picture_of(value)


def test_a_server_reads_no_files(tmp_path: Path) -> None:
    path = tmp_path / "p.png"
    path.write_bytes(encoded(plain()))
    for value in (str(path), f"file://{path}", path):
        with pytest.raises(ArgumentError, match="expected a data: URL"):
            picture_of(value, may_read_files=False)


def test_a_bomb_ends_its_worker_and_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """A compressed image within the limit of pixels takes more memory than its worker has."""
    monkeypatch.setattr(pictures, "_WORKER_BYTES", 192 << 20)
    large = encoded(Image.new("RGB", (5000, 5000)))
    assert len(large) < 200_000
    with pytest.raises(ArgumentError, match="cannot be decoded"):
        picture_of(large)
    monkeypatch.undo()
    assert np.array_equal(picture_of(encoded(plain())), PLAIN)
