# SPDX-License-Identifier: MIT
"""Draw docs/pictures/kernels.png: a frame as a camera delivers it, and what two kernels of docs/kernels make of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

from pyhexagon import Device

DOCS: Final = Path(__file__).resolve().parents[1] / "docs"
HEIGHT, WIDTH = 240, 320

Array = npt.NDArray[Any]


def scene() -> Array:
    """Return an image (HEIGHT, WIDTH, 3) of floats from 0 to 1: a sky with a sun, hills, and a field of colours."""
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float64)
    image = np.stack([0.35 + 0.5 * y / HEIGHT, 0.55 + 0.3 * y / HEIGHT, 0.95 - 0.2 * y / HEIGHT], -1)
    sun = np.clip(30 - np.hypot(x - 240, y - 55), 0, 1)[..., None]
    image = image * (1 - sun) + sun * np.array([1.0, 0.85, 0.3])
    for depth, colour in enumerate(((0.35, 0.5, 0.65), (0.2, 0.45, 0.35), (0.1, 0.3, 0.15))):
        ridge = 130 + 28 * depth + 18 * np.sin(x / (45 - 9 * depth) + depth) + 6 * np.sin(x / 11 + 2 * depth)
        image[y > ridge] = colour
    tiles = (y > 200) & ((x // 20 + y // 20) % 2 == 0)
    hue = x[tiles] / WIDTH * 2 * np.pi
    image[tiles] = 0.5 + 0.5 * np.stack([np.cos(hue), np.cos(hue - 2.1), np.cos(hue + 2.1)], -1)
    clipped: Array = np.clip(image, 0, 1)
    return clipped


def nv12(image: Array) -> tuple[Array, Array]:
    """Return the planes of NV12, Y (H, W) and UV (H / 2, W), of BT.601 in full range."""
    r, g, b = np.moveaxis(255 * image, -1, 0)
    y = 0.299 * r + 0.587 * g + 0.114 * b
    u, v = 128 + (b - y) / 1.772, 128 + (r - y) / 1.402
    halves = [plane.reshape(HEIGHT // 2, 2, WIDTH // 2, 2).mean((1, 3)) for plane in (u, v)]
    return tuple(np.clip(np.rint(one), 0, 255).astype(np.uint8)
                 for one in (y, np.stack(halves, -1).reshape(HEIGHT // 2, WIDTH)))  # fmt: skip


def main() -> None:
    """Run the kernels and write the picture."""
    y, uv = nv12(scene())
    with Device("cpu") as device:
        convert = device.kernel(DOCS / "kernels/nv12.c")
        resize = device.kernel(DOCS / "kernels/resize.c", shape=lambda x: (x[0] // 2, x[1] // 2))
        planes = convert(y, uv)
        rgb = np.stack([plane.numpy() for plane in planes], -1)
        half = np.stack([resize(plane).numpy() for plane in planes], -1)
    figure = Figure(figsize=(10, 2.5), layout="constrained", dpi=100)
    for axes, panel, title in zip(
        figure.subplots(1, 4), (y, uv, rgb, half), ("source: Y", "source: U, V", "nv12.c", "resize.c"), strict=True
    ):
        axes.imshow(panel, cmap="gray", vmin=0, vmax=255, interpolation="nearest")
        axes.set_title(f"{title}, {panel.shape[1]} x {panel.shape[0]}", fontsize=9)
        axes.set_xlim(-0.5, WIDTH - 0.5)
        axes.set_ylim(HEIGHT - 0.5, -0.5)
        axes.axis("off")
    figure.savefig(DOCS / "pictures/kernels.png", metadata={"Software": None})


if __name__ == "__main__":
    main()
