# SPDX-License-Identifier: MIT
"""KL divergence of log-probabilities after an image from a float64 pass, and that of llama.cpp's.

    PYTHONPATH=tests python -m llm.vision_divergence      needs xllamacpp

records the latter in recorded/vision_divergences.json, for each kind of projector and type of its weights;
tests/llm/test_vision_divergence.py checks the ratio. Existing entries stay.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import gguf
import numpy as np
import numpy.typing as npt
from gguf import GGMLQuantizationType as Type

from llm import tiny, vision_files
from llm.divergence import divergence
from llm.reference import Array, Reference
from llm.vision_files import KINDS
from llm.vision_reference import VisionReference
from pyhexagon import LLM, Device
from pyhexagon.llm.vision.preprocessing import Tiles

RECORDED: Final = Path(__file__).with_name("recorded") / "vision_divergences.json"
WEIGHTS: Final = "F16", "Q8_0", "Q4_0"
SEEDS: Final = range(1, 5)
N_POSITIONS: Final = 12
LEFT_OUT: Final = frozenset({"gemma4v", "paddleocr", "resampler"})  # their text models have no float64 pass with images
BEFORE, AFTER = "the ", " an"
TEMPLATE: Final = "{% for m in messages %}{{ m.content }}{% endfor %}"
MARKS: Final = [
    "<|img_thumbnail|>", "\n\n", "<fake_token_around_image>", "<global-img>", "<start_of_image>", "<end_of_image>",
    "<img>", "</img>",
    "<|vision_start|>", "<|vision_end|>", "<|image_start|>", "<|image_end|>", "[IMG_END]",
    *(f"<row_{row}_col_{column}>" for row in (1, 2) for column in (1, 2)),
]  # fmt: skip
TEXT_MODELS: Final = {
    "gemma3": "gemma3", "internvl": "qwen2", "qwen2vl_merger": "qwen2vl", "qwen2.5vl_merger": "qwen2vl",
    "qwen3vl_merger": "qwen3vl",
}  # fmt: skip
_OPTIONS: Final[dict[str, dict[str, Any]]] = {
    "llama": {}, "gemma3": dict(tiny.TINY["gemma3"]), "qwen2": {"qkv_bias": True}, "qwen2vl": {"qkv_bias": True},
    "qwen3vl": {"qk_norm": True, "layers": 3},
}  # fmt: skip
_SECTIONS: Final = 6, 5, 5  # pairs of a head that turn by time, row and column


def cases() -> list[tuple[str, str]]:
    """Return the kinds with the types of the encoder's weights."""
    return [(kind, weights) for kind in sorted(KINDS.keys() - LEFT_OUT) for weights in WEIGHTS]


def write(folder: Path, kind: str, weights: str, seed: int) -> tuple[Path, Path]:
    """Write a language model, whose weights are Q8_0, and its mmproj file."""
    name = TEXT_MODELS.get(kind, "llama")

    def edit(writer: gguf.GGUFWriter) -> None:
        writer.add_chat_template(TEMPLATE)
        tokens = writer.kv_data[0]["tokenizer.ggml.tokens"].value
        types = writer.kv_data[0]["tokenizer.ggml.token_type"].value
        for at, mark in enumerate(MARKS, len(tokens) - len(MARKS)):
            tokens[at], types[at] = mark, gguf.TokenType.CONTROL
        if name.endswith("vl"):
            writer.add_rope_dimension_sections([*_SECTIONS, 0])
        if name == "qwen3vl":
            writer.add_num_deepstack_layers(2)

    text = tiny.write(folder / "text.gguf", name, edit=edit, seed=seed, tied=False, **_OPTIONS[name])
    options: dict[str, Any] = {"image": 96} if kind.startswith("ldp") else {}  # llama.cpp wants 24 x 24 patches
    mmproj = folder / "mmproj.gguf"
    vision_files.write(mmproj, kind, weights=Type[weights], width=96, ffn=160, seed=seed, **options)
    return text, mmproj


def picture(seed: int) -> npt.NDArray[np.uint8]:
    """Return the picture of a case."""
    return vision_files.picture(44, 30, seed=seed)


def forced(seed: int) -> list[int]:
    """Return the tokens after the prompt, whatever the model would generate."""
    return [int(token) for token in np.random.default_rng(seed).integers(3, 300, N_POSITIONS - 1)]


class SeeingReference(Reference):
    """A language model in float64 that takes rows in place of tokens.

    Gemma 3's rows of an image see each other in both directions. Qwen's rows of an image turn by time, row and column,
    and are added to layers (deepstack).
    """

    _places: Array
    _blocks: npt.NDArray[np.int64]

    def seeing(self, tokens: Sequence[int], rows: Array, grid: tuple[int, int]) -> Array:
        """Return the logits at every position.

        Args:
            tokens: ids; negative ones stand for the rows, in order.
            rows: (n, width times 1 + number of layers with deepstack).
            grid: rows and columns of the image, for Qwen.
        """
        ids = np.array(tokens)
        is_image = ids < 0
        width: int = self._w["token_embd.weight"].shape[-1]
        x = self._w["token_embd.weight"][np.where(is_image, 0, ids)]
        x = x * (np.float64(width) ** 0.5 if self.architecture == "gemma3" else 1.0)
        x[is_image] = rows[:, :width]
        self._places = self._placed(is_image, grid)
        self._blocks = np.where(is_image & (self.architecture == "gemma3"), 0, 1 + np.arange(len(ids)))
        for index in range(self.n_layers):
            x = self._layer(x, index)
            if rows.shape[1] > width * (index + 1):
                x[is_image] += np.split(rows, rows.shape[1] // width, axis=1)[index + 1]
        return np.asarray(self._norm(x, self._w["output_norm.weight"]) @ self._w["output.weight"].T)

    def _placed(self, is_image: npt.NDArray[np.bool_], grid: tuple[int, int]) -> Array:
        """Return the time, the row and the column of each position, (3, n)."""
        if not self.architecture.endswith("vl"):
            return np.tile(np.arange(len(is_image), dtype=np.float64), (3, 1))
        first = int(np.argmax(is_image))
        rows, columns = np.divmod(np.arange(is_image.sum()), grid[1])
        after = first + max(grid) + np.arange(len(is_image) - first - len(rows))
        image = first + np.stack([np.zeros(len(rows)), rows, columns])
        return np.concatenate([np.tile(np.arange(first), (3, 1)), image, np.tile(after, (3, 1))], axis=1)

    def _rotate(self, x: Array, base: float) -> Array:
        if not self.architecture.endswith("vl"):
            return super()._rotate(x, base)
        n_pairs = self.head // 2
        is_interleaved = self.architecture == "qwen3vl"
        axes = np.arange(n_pairs) % 3 if is_interleaved else np.repeat(np.arange(3), _SECTIONS)
        angles = self._places[axes].T * base ** (-np.arange(n_pairs) / n_pairs)
        turned = (x[..., :n_pairs] + 1j * x[..., n_pairs:]) * np.exp(1j * angles)[:, None]
        return np.concatenate([turned.real, turned.imag], axis=-1)

    def _sees(self, n: int, window: int) -> npt.NDArray[np.bool_]:
        return np.asarray(super()._sees(n, window) | (self._blocks[:, None] == self._blocks))


def exact(text: Path, mmproj: Path, tiles: Tiles, tokens: Sequence[int], *, is_reversed: bool = False) -> Array:
    """Return the logits of a float64 pass that follow the prompt and the forced tokens.

    Args:
        is_reversed: of an image whose rows are in the reverse order.
    """
    reference = VisionReference(mmproj)
    rows = np.concatenate([reference.embeddings(tile) for tile in (*tiles.parts, tiles.whole)])
    unit = reference.patch * reference.merge
    grid = tiles.whole.shape[0] // unit, tiles.whole.shape[1] // unit
    return SeeingReference(text).seeing(tokens, rows[::-1] if is_reversed else rows, grid)[-N_POSITIONS:]


def ours(llm: LLM, seed: int) -> tuple[list[int], Array]:
    """Return the tokens of a case, with the forced ones, and the logits that follow."""
    parts = [{"type": "text", "text": BEFORE}, {"type": "image", "image": picture(seed)}]
    content = [*parts, {"type": "text", "text": AFTER}]
    prompt, embeddings = llm.chat_prompt([{"role": "user", "content": content}])
    tokens = prompt + forced(seed)
    rows = []
    for end in range(len(prompt), len(tokens) + 1):
        forward = llm._engine.forward(tokens[:end], embeddings=embeddings)
        llm._engine.finish(forward)
        rows.append(forward.logits)
    return tokens, np.stack(rows).astype(np.float64)


def main() -> None:
    """Record all cases."""
    from llm.mtmd import Mtmd

    found = json.loads(RECORDED.read_text()) if RECORDED.exists() else {}
    with tempfile.TemporaryDirectory() as name, Device("cpu") as device:
        for kind, weights in cases():
            for seed in SEEDS:
                key = f"{kind} {weights} {seed}"
                if key in found:
                    continue
                text, mmproj = write(Path(name), kind, weights, seed)
                with LLM(text, 512, mmproj=mmproj, kv="f16", device=device) as llm:
                    tokens, got = ours(llm, seed)
                    assert llm._vision is not None
                    tiles = llm._vision.encoder.tiles(picture(seed))
                wanted = exact(text, mmproj, tiles, tokens)
                oracle = Mtmd(text, mmproj)
                ids, theirs = oracle.logits((BEFORE, AFTER), picture(seed), forced(seed))
                oracle.close()
                assert ids == [max(token, -1) for token in tokens[: len(ids)]], (key, ids, tokens)
                found[key] = divergence(wanted, theirs)
                print(f"{key}: {found[key]:.2e}, ours {divergence(wanted, got) / found[key]:.2f} times", flush=True)
                lines = ",\n".join(f" {json.dumps(name)}: {value:.4e}" for name, value in sorted(found.items()))
                RECORDED.write_text(f"{{\n{lines}\n}}\n")


if __name__ == "__main__":
    main()
