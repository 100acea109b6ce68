# SPDX-License-Identifier: MIT
"""The hyper-parameters of an image encoder, and what tells its kinds apart; ``mmproj.py`` reads them from a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from pyhexagon.llm.files.weights import Shapes
from pyhexagon.program.graph import Value

if TYPE_CHECKING:
    from pyhexagon.llm.vision.grid import Grid
    from pyhexagon.llm.vision.preprocessing import Preprocess
    from pyhexagon.llm.vision.tower import Tower

_NONE: Final[Shapes] = MappingProxyType({})

Positions = Literal["tile", "antialiased", "corners", "axes", "buckets"]
Activation = Literal["gelu", "gelu_quick", "silu"]


class TileMarks(NamedTuple):
    """What a prompt says around the tiles of a picture that is cut.

    Attributes:
        part: the text before each tile, with its row and its column, from 1 on; empty: there is none.
        row_end: the token after each row of tiles but the last.
        whole_begin, whole_end: tokens around the whole picture.
        part_begin, part_end: tokens around each tile.
        parts_begin, parts_end: tokens around all tiles.
        is_always: the whole picture has its marks even if it is not cut.
    """

    part: str = ""
    row_end: tuple[str, ...] = ()
    whole_begin: tuple[str, ...] = ()
    whole_end: tuple[str, ...] = ()
    part_begin: tuple[str, ...] = ()
    part_end: tuple[str, ...] = ()
    parts_begin: tuple[str, ...] = ()
    parts_end: tuple[str, ...] = ()
    is_always: bool = False


class PatchRotation(NamedTuple):
    """Rotary positions of patches: half of a head's pairs turn by the row, the other half by the column.

    Attributes:
        mode: the elements of a pair, as of ``Builder.rope``; "halves": of either half of a head, which is NeoX's by
            itself.
        base: of the frequencies.
        is_column_first: the first half turns by the column.
        is_shifted: the frequencies of the second half lie between those of the first.
    """

    mode: Literal["normal", "neox", "halves"]
    base: float = 10000.0
    is_column_first: bool = False
    is_shifted: bool = False


@dataclass(frozen=True)
class VisionConfig:
    """The hyper-parameters of an image encoder and its projector.

    Attributes:
        kind: of the projector, ``clip.projector_type``.
        image_size, patch_size: sides of a tile and of a patch, in pixels.
        width, n_layers, n_heads, head_size, n_ffn, eps, activation: of the vision transformer.
        projection: width of an image embedding, the text model's.
        merge: side of the square of patches that become one embedding; 1: each patch does.
        mean, std: of the pixels' channels, which are in 0 to 1: they are normalised to (pixel - mean) / std.
        window_pattern: every so many layers have attention over the whole image, and the others over windows; 0: all.
        longest_edge: of a picture before it is cut into tiles, in pixels; 0: its own.
        tiles: the least and the largest number of tiles of a picture.
        is_ffn_swapped: the file has the names of the upward and the downward projection exchanged, as old ones do.
        deepstack: layers whose rows are embeddings, too.
        rotation: rotary positions; None: there are none.
        pixels: the least and the largest number of pixels of a picture of any size.
        marks: around tiles; None: the tiles follow each other.
        sizes: widths and heights that a picture may be enlarged to before it is cut into tiles.
        has_class: the encoder has a class token, which comes after the patches.
        merger_layer: the layer after which patches are merged for the first time; None: only at the end.
        features: the layers whose inputs, side by side, are the encoder's rows; the number of layers stands for the
            last one's output. Empty: the rows are the last layer's.
    """

    kind: str
    image_size: int
    patch_size: int
    width: int
    n_layers: int
    n_heads: int
    head_size: int
    n_ffn: int
    eps: float
    activation: Activation
    projection: int
    merge: int
    mean: tuple[float, float, float]
    std: tuple[float, float, float]
    window_pattern: int = 0
    longest_edge: int = 0
    tiles: tuple[int, int] = (1, 12)
    is_ffn_swapped: bool = False
    deepstack: tuple[int, ...] = ()
    rotation: PatchRotation | None = None
    pixels: tuple[int, int] = (0, 0)
    marks: TileMarks | None = None
    sizes: tuple[tuple[int, int], ...] = ()
    has_class: bool = False
    features: tuple[int, ...] = ()
    merger_layer: int | None = None

    @property
    def n_side(self) -> int:
        """Patches on a side of a tile."""
        return self.image_size // self.patch_size

    @property
    def embedding_width(self) -> int:
        """Elements of an image embedding: the projection, and those of further layers of the text model."""
        return self.projection * (1 + len(self.deepstack))


def with_biases(weights: Shapes) -> Shapes:
    """Return the weights and biases of matrices and norms, by names without an ending."""
    return {f"{name}.{end}": shape[:n] for name, shape in weights.items() for end, n in (("weight", None), ("bias", 1))}


def merged_patches(grid: Grid) -> int:
    """Return the number of embeddings of a tile whose merged patches become one each."""
    return grid.n_patches // grid.merge**2


class ProjectorKind(NamedTuple):
    """A kind of projector with its encoder.

    Attributes:
        project: adds the projector to a graph: from the encoder's rows to the embeddings.
        preprocess: cuts a picture into normalised tiles.
        output: the tensor, and its axis, whose length is that of an embedding.
        output_multiple: what this length must be a multiple of.
        tensors, optional: the tensors of the projector with the names of their dimensions, see ``mmproj.lengths``.
        hidden: the matrix whose rows are the dimension "hidden".
        merge_key, merge: the key of ``VisionConfig.merge``, and its default; an empty key: 1.
        has_class: encoders have a class token, except those with ``VisionConfig.features``.
        positions: the position embeddings that the encoder adds: those of the patches of a tile ("tile"), a square
            table that is interpolated for pictures of any size ("antialiased", "corners": see ``grid.resized``), or
            read at the nearest place before ("buckets"), or the sum of a column's and a row's ("axes"); None: there are
            none.
        n_skipped: number of last layers that are not run.
        has_swapped_ffn: files may have the feed-forward net's names exchanged.
        has_places: the language model places embeddings in rows and columns (M-RoPE); None: it may have M-RoPE and
            places them like text.
        is_causal: the text model's attention is causal within an image, too.
        begin, end: texts before and after an image in a prompt.
        marks: around tiles; None: the tiles follow each other.
        versions: the key whose value tells marks around tiles, and the marks of each value; 0 is that of files without
            the key.
        has_sizes, has_features: files may have ``VisionConfig.sizes`` and ``features``.
        norm: of the encoder.
        longest_edge: what ``VisionConfig.longest_edge`` is by default: the picture's own, or ``image_size``;
            None: the kind has none.
        rotation: as of ``VisionConfig``.
        tokens: the least and the largest number of embeddings of a picture of any size; None: the file gives numbers
            of pixels.
        layer, optional_layer: further tensors of each layer, with the names of their dimensions.
        attention_scale: the factor on attention's logits; None: 1 / sqrt(head size).
        has_value_norm: attention's values are RMS-normalised.
        n_tokens: the number of embeddings of a tile; None: the rows of ``hidden``.
        merger: adds what merges squares of patches after ``VisionConfig.merger_layer``, and the side of these squares.
    """

    project: Callable[[Tower, Value], Value]
    preprocess: Preprocess
    output: tuple[str, int]
    tensors: Shapes
    output_multiple: int = 1
    optional: Shapes = _NONE
    hidden: str = ""
    merge_key: str = ""
    merge: int = 1
    has_class: bool = False
    positions: Positions | None = "tile"
    n_skipped: int = 0
    has_swapped_ffn: bool = False
    has_places: bool | None = False
    is_causal: bool = True
    begin: str = ""
    end: str = ""
    marks: TileMarks | None = None
    versions: tuple[str, Mapping[int, TileMarks]] | None = None
    has_sizes: bool = False
    has_features: bool = False
    norm: Literal["layer", "rms"] = "layer"
    longest_edge: Literal["own", "image_size"] | None = None
    rotation: PatchRotation | None = None
    tokens: tuple[int, int] | None = (0, 0)
    layer: Shapes = _NONE
    optional_layer: Shapes = _NONE
    attention_scale: float | None = None
    has_value_norm: bool = False
    n_tokens: Callable[[Grid], int] | None = merged_patches
    merger: tuple[Callable[[Tower, Value], Value], int] | None = None
