# SPDX-License-Identifier: MIT
"""Records how far llama.cpp's image embeddings are from a float64 pass, and a probe of them.

    PYTHONPATH=tests python -m llm.vision_oracle [KIND...]     writes recorded/vision.json; needs xllamacpp

Each kind of projector has three pictures (small, wide, tall), and weights of three types for the first of them. A probe
is each row's product with a fixed vector: what preprocessing or the order of rows changes shows in it.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

import gguf
import numpy as np
import numpy.typing as npt
from gguf import GGMLQuantizationType as Type

from llm import tiny, vision_files
from llm.vision_files import KINDS, SIGLIP

RECORDED: Final = Path(__file__).with_name("recorded") / "vision.json"
PICTURES: Final = {
    "small": (32, 32), "wide": (150, 70), "tall": (48, 131), "wider": (176, 52), "xlarge": (122, 118),
}  # width and height

WEIGHTS: Final = "F16", "Q8_0", "Q4_0"
MARKS: Final = [
    "<image>", "</image>", "<slice>", "</slice>",
    "\n\n", "<fake_token_around_image>", "<global-img>", "<|img_thumbnail|>",
    *(f"<row_{row}_col_{column}>" for row in range(1, 4) for column in range(1, 4)),
]  # fmt: skip


# Files of a kind with other keys or another encoder, by the names of their cases.
_SIZES: Final = {"clip.vision.image_grid_pinpoints": [32, 64, 64, 32, 64, 64, 96, 32, 32, 96]}
VARIANTS: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "granite3": (
        "mlp", {"keys": {**_SIZES, "clip.vision.feature_layer": [0, 1, 2]}, "parts": SIGLIP, "layers": 3}
    ),
    "llava1.6": ("mlp", {"keys": _SIZES}),
}  # fmt: skip


def cases() -> list[tuple[str, str, str]]:
    """Return the kinds and the variants with the types of weights and the pictures."""
    return [
        (kind, weights, picture)
        for kind in [*sorted(KINDS), *VARIANTS]
        for weights in WEIGHTS
        for picture in PICTURES
        if weights == WEIGHTS[0] or picture == "small"
    ]


def picture_of(name: str) -> npt.NDArray[np.uint8]:
    return vision_files.picture(*PICTURES[name], seed=sorted(PICTURES).index(name))


def write(folder: Path, case: str, weights: str) -> Path:
    """Write the mmproj file of a case, and return its path."""
    kind, more = VARIANTS.get(case, (case, {}))
    options: dict[str, Any] = {"image": 96} if kind.startswith("ldp") else {}  # llama.cpp wants 24 x 24 patches
    path = folder / f"{case}-{weights}.gguf"
    options |= {"width": 96, "heads": 2, "ffn": 160, "seed": 11, **more}
    return vision_files.write(path, kind, weights=Type[weights], **options)


def write_text(path: Path, kind: str) -> Path:
    """Write a language model that llama.cpp loads beside a kind's mmproj file."""

    def edit(writer: gguf.GGUFWriter) -> None:
        tokens = writer.kv_data[0]["tokenizer.ggml.tokens"].value
        tokens[-len(MARKS) :] = MARKS
        if kind == "qwen3vl_merger":
            writer.add_rope_dimension_sections([6, 5, 5, 0])
            writer.add_num_deepstack_layers(2)

    if kind == "qwen3vl_merger":
        return tiny.write(path, "qwen3vl", layers=3, qk_norm=True, edit=edit)
    return tiny.write(path, "llama", edit=edit)


def probe(rows: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Return the product of each row with a fixed vector."""
    vector = np.random.default_rng(0).standard_normal(rows.shape[1])
    return np.asarray(rows.astype(np.float64) @ vector / np.linalg.norm(vector))


def main() -> None:
    """Record all cases, or those of some kinds."""
    from llm.mtmd import Mtmd
    from llm.vision_reference import VisionReference
    from pyhexagon.gguf.file import GGUFFile
    from pyhexagon.llm.vision import mmproj
    from pyhexagon.llm.vision.kinds import KINDS as SUPPORTED

    kinds = sys.argv[1:] or [*KINDS, *VARIANTS]
    old: dict[str, Any] = json.loads(RECORDED.read_text())
    recorded = {key: value for key, value in old.items() if key.split(" ")[0] not in kinds}
    with tempfile.TemporaryDirectory() as name:
        for kind, weights, picture in cases():
            if kind not in kinds:
                continue
            folder = Path(name)
            path = write(folder, kind, weights)
            oracle = Mtmd(write_text(folder / f"{kind}.gguf", kind), path)
            rows = oracle.embeddings(picture_of(picture))
            oracle.close()
            with GGUFFile(path) as file:
                config, _ = mmproj.read(file, SUPPORTED)
            tiles = SUPPORTED[config.kind].preprocess(picture_of(picture), config)
            reference = VisionReference(path)
            wanted = np.concatenate([reference.embeddings(tile) for tile in tiles.in_order()])
            assert rows.shape == wanted.shape, (kind, rows.shape, wanted.shape)
            if not np.isfinite(rows).all():
                print(f"{kind} {weights} {picture}: llama.cpp's embeddings have NaN", flush=True)
                continue
            error = float(((rows - wanted) ** 2).sum() / (wanted**2).sum())
            print(f"{kind} {weights} {picture}: {rows.shape} NMSE {error:.2e}", flush=True)
            recorded[f"{kind} {weights} {picture}"] = {
                "nmse": float(f"{error:.3e}"), "probe": [float(f"{one:.5g}") for one in probe(rows)]
            }  # fmt: skip
    keys = [key for key in (" ".join(case) for case in cases()) if key in recorded]
    lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(recorded[key])}" for key in keys)
    RECORDED.write_text("{\n" + lines + "\n}\n")


if __name__ == "__main__":
    main()
