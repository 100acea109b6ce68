# SPDX-License-Identifier: MIT
"""The projectors of tiny mmproj files, one function for each kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from llm.vision_files import Writer


class Sizes(NamedTuple):
    """Lengths: of an embedding, of the encoder's rows, of merged rows, and of a hidden row; side of a merged square."""

    projection: int
    width: int
    merged: int
    merge: int

    @property
    def hidden(self) -> int:
        return self.projection + 32


def _gemma3(w: Writer, n: Sizes) -> None:
    w.norm("mm.soft_emb_norm", n.width, bias=False)
    w.kernel("mm.input_projection.weight", n.width, n.projection)


def _gemma4v(w: Writer, n: Sizes) -> None:
    w.matrix("mm.input_projection", n.projection, n.width, bias=False)
    w.vector("v.std_bias", n.width)
    w.vector("v.std_scale", n.width, mean=1.0)
    w.limits("mm.input_projection", 1.5)


def _idefics3(w: Writer, n: Sizes) -> None:
    w.matrix("mm.model.fc", n.projection, n.merged, bias=False)


def _internvl(w: Writer, n: Sizes) -> None:
    w.norm("mm.model.mlp.0", n.merged)
    w.matrix("mm.model.mlp.1", n.hidden, n.merged)
    w.matrix("mm.model.mlp.3", n.projection, n.hidden)


def _lfm2(w: Writer, n: Sizes) -> None:
    w.norm("mm.input_norm", n.merged)
    w.matrix("mm.1", n.hidden, n.merged)
    w.matrix("mm.2", n.projection, n.hidden)


def _pixtral(w: Writer, n: Sizes) -> None:
    _lightonocr(w, n)
    w.tensor("v.token_embd.img_break", n.projection)


def _lightonocr(w: Writer, n: Sizes) -> None:
    w.norm("mm.input_norm", n.width, bias=False)
    w.matrix("mm.patch_merger", n.width, n.merged, bias=False)
    w.matrix("mm.1", n.hidden, n.width)
    w.matrix("mm.2", n.projection, n.hidden)


def _ldp(w: Writer, n: Sizes) -> None:
    w.matrix("mm.model.mlp.1", n.projection, n.width)
    w.matrix("mm.model.mlp.3", n.projection, n.projection)
    for number in (1, 2):
        _block(w, f"mm.model.mb_block.{number}.block", n.projection)


def _ldpv2(w: Writer, n: Sizes) -> None:
    w.matrix("mm.model.mlp.0", n.projection, n.width)
    w.matrix("mm.model.mlp.2", n.projection, n.projection)
    w.kernel("mm.model.peg.0.weight", n.projection, 1, 3, 3)
    w.vector("mm.model.peg.0.bias", n.projection)


def _mlp(w: Writer, n: Sizes) -> None:
    w.matrix("mm.0", n.hidden, n.width)
    w.matrix("mm.2", n.projection, n.hidden)


def _merger(w: Writer, n: Sizes) -> None:
    w.matrix("mm.0", n.hidden, n.merged)
    w.matrix("mm.2", n.projection, n.hidden)


def _dots_ocr(w: Writer, n: Sizes) -> None:
    w.norm("mm.post_norm", n.width, bias=False)
    w.norm("mm.input_norm", n.width)
    _merger(w, n)


def _janus_pro(w: Writer, n: Sizes) -> None:
    w.matrix("mm.0", n.hidden, n.width)
    w.matrix("mm.1", n.projection, n.hidden)


def _paddleocr(w: Writer, n: Sizes) -> None:
    w.norm("mm.input_norm", n.width)
    w.matrix("mm.1", n.hidden, n.merged)
    w.matrix("mm.2", n.projection, n.hidden)


def _resampler(w: Writer, n: Sizes) -> None:
    w.tensor("resampler.query", 12, n.projection)
    w.matrix("resampler.kv", n.projection, n.width, bias=False)
    w.matrix("resampler.proj", n.projection, n.projection, bias=False)
    for name in ("q", "k", "v", "out"):
        w.matrix(f"resampler.attn.{name}", n.projection, n.projection)
    for name in ("q", "kv", "post"):
        w.norm(f"resampler.ln_{name}", n.projection)
    w.tensor("resampler.pos_embed_k", 16, n.projection)


def _minicpmv46(w: Writer, n: Sizes) -> None:
    name = "v.vit_merger"
    w.norm(f"{name}.ln1", n.width)
    for one in ("q", "k", "v", "out"):
        w.matrix(f"{name}.attn_{one}", n.width, n.width)
    w.norm(f"{name}.ds_ln", 4 * n.width)
    w.matrix(f"{name}.ds_ffn_up", n.hidden, 4 * n.width)
    w.matrix(f"{name}.ds_ffn_down", n.width, n.hidden)
    w.norm("mm.input_norm", 4 * n.width)
    w.matrix("mm.up", n.hidden, 4 * n.width)
    w.matrix("mm.down", n.projection, n.hidden)


def _glm4v(w: Writer, n: Sizes) -> None:
    w.kernel("mm.patch_merger.weight", n.projection, n.width, n.merge, n.merge)
    w.vector("mm.patch_merger.bias", n.projection)
    w.matrix("mm.model.fc", n.projection, n.projection, bias=False)
    w.norm("mm.post_norm", n.projection)
    w.matrix("mm.gate", n.hidden, n.projection, bias=False)
    w.matrix("mm.up", n.hidden, n.projection, bias=False)
    w.matrix("mm.down", n.projection, n.hidden, bias=False)


def _block(w: Writer, name: str, n: int) -> None:
    w.kernel(f"{name}.0.0.weight", n, 1, 3, 3)
    w.norm(f"{name}.0.1", n)
    w.matrix(f"{name}.1.fc1", n // 4, n)
    w.matrix(f"{name}.1.fc2", n, n // 4)
    w.matrix(f"{name}.2.0", n, n, bias=False)
    w.norm(f"{name}.2.1", n)


PROJECTORS: Final[dict[str, Callable[[Writer, Sizes], None]]] = {
    "dots_ocr": _dots_ocr, "gemma3": _gemma3, "gemma4v": _gemma4v, "glm4v": _glm4v, "idefics3": _idefics3,
    "internvl": _internvl, "janus_pro": _janus_pro, "ldp": _ldp, "ldpv2": _ldpv2, "lfm2": _lfm2,
    "lightonocr": _lightonocr,
    "minicpmv4_6": _minicpmv46, "mlp": _mlp, "paddleocr": _paddleocr, "phi4": _mlp, "pixtral": _pixtral,
    "qwen2vl_merger": _merger, "qwen2.5o": _merger, "qwen2.5vl_merger": _merger, "qwen3vl_merger": _merger,
    "resampler": _resampler,
}  # fmt: skip
