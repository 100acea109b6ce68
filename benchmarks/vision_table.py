# SPDX-License-Identifier: MIT
"""Count what a picture costs on the DSP, under QEMU: packets of the busiest of four threads, and bytes.

    .venv/bin/python -m benchmarks.vision_table smolvlm:256m smolvlm:500m

The weights are random, of published shapes. Each encoder has a row with the F16 weights of its file, and one with Q8_0,
by ``--mmproj-weights q8_0`` or from a file that has it. One layer of the encoder is counted, for tiles of 256 and of
576 patches, and extrapolated to a picture of 1024 x 768 pixels; and one and two layers of the text model, for 64 tokens
in the middle of the picture's. The time to the first token is that of all tiles and all tokens of the picture, by the
timeline and the assumptions of ``bench model --estimate``, which no board has confirmed.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from math import prod
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

import gguf
import numpy as np
from gguf import GGML_QUANT_SIZES
from gguf import GGMLQuantizationType as Type

from pyhexagon import Device
from pyhexagon.bench import image, model, random_model, silicon_estimate, timeline
from pyhexagon.bench.random_model import RandomFile
from pyhexagon.bench.timeline_record import ATTENTION, RecordedMessage, RecordedOp
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm.files.weight_types import WEIGHT_TYPES, WeightType
from pyhexagon.llm.vision.encoder import ImageEncoder
from pyhexagon.llm.vision.memory import planned

THREADS: Final = 4
TIMEOUT: Final = 7200.0
DEVICE: Final = "loopback:qemu"
CHUNK: Final = 64  # tokens of a message
SIDES: Final = 16, 24  # of the tiles that are counted, in patches
ALIGNMENT: Final = 32
HEAD: Final = (
    "| model, mmproj | tiles of patches | tokens | encoder, packets | attention | MiB | memory, MiB "
    "| token, packets | encoder, s | first token, s |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
)

Shapes = dict[str, tuple[int, ...]]


class Published(NamedTuple):
    """The shape of a published model's encoder, and its text model.

    Attributes:
        kind: of the projector.
        text, mix: a key of ``random_model.SHAPES``, and the types of its matrices.
        width, ffn, heads, layers, image, patch, merge: of the encoder; of Qwen 3 VL, ``image`` is the side of its table
            of positions.
        projection: width of the text model.
        deepstack: number of layers whose rows are embeddings, too.
    """

    kind: str
    text: str
    mix: str
    width: int
    ffn: int
    heads: int
    layers: int
    image: int
    patch: int
    merge: int
    projection: int
    deepstack: int = 0


SHAPES: Final = {
    "smolvlm:256m": Published("idefics3", "llama:135M", "Q8_0", 768, 3072, 12, 12, 512, 16, 4, 576),
    "smolvlm:500m": Published("idefics3", "llama:360M", "Q8_0", 768, 3072, 12, 12, 512, 16, 4, 960),
    "gemma3:4b": Published("gemma3", "gemma3:4B", "Q4_K_M", 1152, 4304, 16, 27, 896, 14, 4, 2560),
    "qwen3-vl:2b": Published("qwen3vl_merger", "qwen3:1.7B", "Q4_K_M", 1024, 4096, 16, 24, 768, 16, 2, 2048, 3),
}


def tensors(shape: Published, layers: int) -> Shapes:
    """Return the shapes of an encoder's tensors by name."""
    width, ffn, merged = shape.width, shape.ffn, shape.width * shape.merge**2
    found: Shapes = {
        "v.patch_embd.weight": (width, 3, shape.patch, shape.patch), "v.patch_embd.bias": (width,),
        "v.position_embd.weight": ((shape.image // shape.patch) ** 2, width),
        "v.post_ln.weight": (width,), "v.post_ln.bias": (width,),
    }  # fmt: skip
    if shape.kind == "qwen3vl_merger":
        found["v.patch_embd.weight.1"] = found["v.patch_embd.weight"]
    matrices: Shapes = {"attn_out": (width, width), "ffn_up": (ffn, width), "ffn_down": (width, ffn)}
    if shape.kind == "qwen3vl_merger":
        matrices["attn_qkv"] = (3 * width, width)
    else:
        matrices |= {f"attn_{name}": (width, width) for name in "qkv"}
    for layer in range(layers):
        for name in ("ln1", "ln2"):
            found |= {f"v.blk.{layer}.{name}.{end}": (width,) for end in ("weight", "bias")}
        found |= _linear({f"v.blk.{layer}.{name}": lengths for name, lengths in matrices.items()})
    projectors: dict[str, Shapes] = {
        "idefics3": {"mm.model.fc.weight": (shape.projection, merged)},
        "gemma3": {"mm.input_projection.weight": (width, shape.projection), "mm.soft_emb_norm.weight": (width,)},
        "qwen3vl_merger": _linear({"mm.0": (merged, merged), "mm.2": (shape.projection, merged)}),
    }
    return found | projectors[shape.kind]


def _linear(matrices: Mapping[str, tuple[int, ...]]) -> Shapes:
    """Return matrices with their biases."""
    return {
        f"{name}.{end}": lengths if end == "weight" else lengths[:1]
        for name, lengths in matrices.items()
        for end in ("weight", "bias")
    }


def _type(name: str, lengths: tuple[int, ...]) -> Type:
    return Type.F32 if len(lengths) == 1 or name == "v.position_embd.weight" else Type.F16


@contextmanager
def opened(shape: Published, layers: int) -> Iterator[GGUFFile]:
    """Open an mmproj file of random weights."""
    with TemporaryDirectory(prefix="pyhexagon-") as folder:
        path = Path(folder) / "mmproj.gguf"
        writer = gguf.GGUFWriter(path, "clip")
        writer.add_bool("clip.has_vision_encoder", True)
        writer.add_bool("clip.use_gelu", True)
        writer.add_string("clip.projector_type", shape.kind)
        writer.add_float32("clip.vision.attention.layer_norm_epsilon", 1e-6)
        for name, number in (
            ("image_size", shape.image), ("patch_size", shape.patch), ("embedding_length", shape.width),
            ("feed_forward_length", shape.ffn), ("block_count", layers), ("attention.head_count", shape.heads),
            ("projector.scale_factor", shape.merge), ("spatial_merge_size", shape.merge),
        ):  # fmt: skip
            writer.add_uint32(f"clip.vision.{name}", number)
        for name in ("image_mean", "image_std"):
            writer.add_array(f"clip.vision.{name}", [0.5, 0.5, 0.5])
        n_bytes_of_all = ALIGNMENT
        for name, lengths in tensors(shape, layers).items():
            kind = _type(name, lengths)
            n_block, n_bytes = GGML_QUANT_SIZES[kind]
            size = prod(lengths) // n_block * n_bytes
            writer.add_tensor_info(name, lengths, np.dtype(np.float32), size, kind)
            n_bytes_of_all += size + ALIGNMENT
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_ti_data_to_file()
        writer.close()
        os.truncate(path, path.stat().st_size + n_bytes_of_all)
        with RandomFile(path) as file:
            yield file


class Counted(NamedTuple):
    """The ops of a tile: those before the layers, those of a layer, and those behind the layers."""

    before: list[RecordedOp]
    layer: list[RecordedOp]
    behind: list[RecordedOp]


def counted(shape: Published, n_side: int, weights: WeightType) -> Counted:
    """Return the ops of a tile of n_side x n_side patches in an encoder of one layer."""
    small = shape._replace(image=n_side * shape.patch)
    with opened(small, 1) as file, Device(DEVICE, threads=THREADS, timeout=TIMEOUT) as device:
        cost = image.measured(device, ImageEncoder(device, file, weights=weights), 2 * (small.image,), is_timed=False)
    ops = list(cost.messages[0].ops)
    norms = [index for index, op in enumerate(ops) if op.op == "norm"]
    return Counted(ops[: norms[0]], ops[norms[0] : norms[2]], ops[norms[2] :])


def tile(shape: Published, n_patches: int, weights: WeightType) -> RecordedMessage:
    """Return the message of a tile of any number of patches, by those of two small tiles.

    All figures of an op are linear in the number of patches, and attention's packets for one patch are. Each layer with
    deepstack has a projector of its own, as large as the last one.
    """
    small = [counted(shape, n_side, weights) for n_side in SIDES]
    sizes = [n_side**2 for n_side in SIDES]
    parts = [
        [_at(n_patches, sizes, ops) for ops in zip(*several, strict=True)] for several in zip(*small, strict=True)
    ]
    before, layer, behind = parts
    return RecordedMessage(0, (*before, *(layer * shape.layers), *(behind * (1 + shape.deepstack))))


def _at(n: int, sizes: Sequence[int], ops: Sequence[RecordedOp]) -> RecordedOp:
    """Return the op of a tile of n patches."""
    one, other = ops
    rows = sizes if one.op == ATTENTION else (1, 1)

    def line(first: float, second: float) -> float:
        return first + (second - first) * (n - sizes[0]) / (sizes[1] - sizes[0])

    packets = tuple(
        int(line(a / rows[0], b / rows[1]) * (n if one.op == ATTENTION else 1))
        for a, b in zip(one.packets, other.packets, strict=True)
    )
    names = "dma_bytes", "demand_bytes", "read_bytes", "written_bytes"
    figures: dict[str, Any] = {name: int(line(getattr(one, name), getattr(other, name))) for name in names}
    return one._replace(packets=packets, **figures)


def prompt(shape: Published, n_tokens: int) -> tuple[float, list[float]]:
    """Return the packets of the busiest thread for a token of the picture in the text model, and its seconds."""
    depth = n_tokens // 2 // CHUNK * CHUNK
    cases = model.ModelCases([CHUNK], [0], [depth], 0, is_computed=False, is_recorded=True)
    architecture, of_text = shape.text.partition(":")[0], random_model.SHAPES[shape.text]
    costs = []
    for n_layers in (1, 2):
        small = of_text._replace(layers=n_layers, vocabulary=1024)
        open_file = partial(random_model.opened_shape, architecture, small, shape.mix)
        given: dict[str, Any] = {"threads": [THREADS], "device": DEVICE, "transport": None}
        (record,) = model.run(cases, open_file, shape.text, **given, starting=lambda _: None)
        costs.append([record["packets_token_max_thread"], *(one / CHUNK for one in seconds(record["messages"]))])
    packets, *times = (a + (b - a) * (of_text.layers - 1) for a, b in zip(*costs, strict=True))
    return packets, times


def seconds(messages: Sequence[RecordedMessage]) -> list[float]:
    """Return the time of messages: low, expected and high."""
    assumed = silicon_estimate.assumptions().values()
    return [timeline.simulate(messages, one).seconds for one in assumed][::-1]


def rows(name: str) -> Iterator[str]:
    """Yield the rows of a model."""
    shape = SHAPES[name]
    with opened(shape, shape.layers) as file:
        plans = [planned(file, weights) for weights in WEIGHT_TYPES]
    of_token, times = prompt(shape, plans[0].n_tokens)
    for plan in plans:
        message = tile(shape, plan.n_patches, plan.weights)
        packets, attention = (
            plan.n_tiles * sum(max(op.packets) for op in message.ops if op.op in kinds)
            for kinds in ({op.op for op in message.ops}, {ATTENTION})
        )
        n_bytes = plan.n_tiles * sum(op.dma_bytes for op in message.ops)
        encoder = [plan.n_tiles * one for one in seconds([message])]
        both = [a + plan.n_tokens * b for a, b in zip(encoder, times, strict=True)]
        yield (
            f"| {name} {shape.mix}, {next(iter(plan.types))} | {plan.n_tiles} of {plan.n_patches:,} | {plan.n_tokens} "
            f"| {packets / 1e6:,.0f} M | {attention / packets:.0%} | {n_bytes / (1 << 20):,.0f} "
            f"| {sum(plan.memory) / (1 << 20):,.0f} "
            f"| {of_token / 1e6:.2f} M | {_shown(encoder)} | {_shown(both)} |"
        )


def _shown(times: Sequence[float]) -> str:
    return " / ".join(f"{one:.1f}" for one in times)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", default=list(SHAPES), help=f"of {', '.join(SHAPES)}")
    options = parser.parse_args()
    print(HEAD)
    for name in options.models:
        for row in rows(name):
            print(row, flush=True)


if __name__ == "__main__":
    main()
