# SPDX-License-Identifier: MIT
"""A model on a device: its weights, and the parts of its programs."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from pyhexagon.device import Device
from pyhexagon.errors import UnsupportedError
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm.architectures import ARCHITECTURES
from pyhexagon.llm.files import hyper_parameters
from pyhexagon.llm.files.config import Config
from pyhexagon.llm.files.host_table import HostTable
from pyhexagon.llm.files.weights import (
    ALIBI,
    EMBEDDING,
    FACTORS,
    FREQUENCIES,
    LONG,
    NO_ROW,
    OUTPUT,
    PER_LAYER_EMBEDDING,
    SHORT,
    SUPPRESSION,
    ModelFile,
    Progress,
    Shapes,
    Weights,
    as_float32,
    check,
    is_on_host,
    of_layers,
    suppression,
)
from pyhexagon.llm.graph.classifier import SCORES, Classifier
from pyhexagon.llm.graph.layer import Architecture
from pyhexagon.llm.graph.lora import AdaptedFile
from pyhexagon.llm.graph.rotation import Rotation
from pyhexagon.ops.soft_max import alibi_slopes


class Model:
    """The weights of a GGUF file on a device, of all layers or some, and its architecture's graph.

    Args:
        device: the device.
        file: the model's file.
        checked: the result of ``checked`` for the file.
        room: bytes to reserve for a KV cache beside the weights of each layer, from the first loaded one on.
        progress: called repeatedly with the bytes loaded and the total bytes.
        layers: the layers to load; None means all. The MTP block is loaded with the last layer.
        adapted: the file with LoRA adapters, if there are any; the caller closes it.
        architecture: of files other than GGUF; None: the one that the configuration names.

    Attributes:
        n_tokens: the size of the vocabulary, and the number of columns of logits.
        classifier: of a ranker; None for other models.
        per_layer: the table of per-layer embeddings, which stays on the host; None for models without them.
        fingerprint: a hash of the model's loaded part.

    Raises:
        DspMemoryError: the model does not fit.
    """

    def __init__(
        self,
        device: Device,
        file: ModelFile,
        checked: tuple[Config, list[str]],
        room: Sequence[int] = (),
        progress: Progress | None = None,
        *,
        layers: range | None = None,
        adapted: AdaptedFile | None = None,
        architecture: Architecture | None = None,
    ) -> None:
        self.config, names = checked
        self.layers = range(self.config.n_layers) if layers is None else layers
        self.device = device
        self.architecture = architecture or ARCHITECTURES[self.config.architecture]
        self._factors = {name: as_float32(file, name) for name in names if name in FACTORS}
        self.per_layer = HostTable(file, PER_LAYER_EMBEDDING) if PER_LAYER_EMBEDDING in names else None
        is_coupled = self.config.n_per_layer or self.config.kv_layers or self.config.n_loops > 1
        if len(self.layers) < self.config.n_layers and is_coupled:
            why = "its layers share embeddings, keys and values, or run several times"
            raise UnsupportedError(f"{self.config.architecture} cannot be divided into stages: {why}")
        self.classifier = None
        if self.config.pooling == "rank":
            is_causal = not self.config.is_encoder
            self.classifier = Classifier.of(file, self.architecture.classifier, is_causal=is_causal)
        on_device = (name for name in names if not is_on_host(name))
        used = of_layers(on_device, self.layers, self.config.n_layers, self.architecture.last_norm)
        is_tied = OUTPUT not in names and len(self.layers) == self.config.n_layers
        is_tied &= not self.config.is_encoder
        is_tied |= self.config.has_mtp  # which embeds tokens after the last layer
        rooms = Counter[int]()
        for index, n_bytes in zip(self.blocks, room, strict=False):
            rooms[self.config.block_of(index)] += n_bytes
        adapted = adapted or AdaptedFile(file, names)
        self.weights = Weights(
            device, adapted, used, +rooms, progress, thin=adapted.thin(used), stacks=adapted.stacks(used),
            is_tied=is_tied, computed=self._computed(file),
        )  # fmt: skip
        content = described(file, checked).encode() + self.weights.digest + adapted.digest()
        self.n_tokens = file.info(EMBEDDING).shape[0]
        self.fingerprint = hashlib.sha256(content).hexdigest()

    def _computed(self, file: ModelFile) -> dict[str, npt.NDArray[np.float32]]:
        """Return the vectors that the graph needs and the file does not have."""
        max_bias = self.architecture.max_bias
        result = {ALIBI: alibi_slopes(self.config.n_heads[0], max_bias)} if max_bias else {}
        suppressed = suppression(file) if self.layers.stop == self.config.n_layers else None
        if self.config.is_encoder and self.config.recurrence is not None:
            result[NO_ROW] = np.zeros(self.config.width, np.float32)
        return result if suppressed is None else {**result, SUPPRESSION: suppressed}

    @property
    def blocks(self) -> range:
        """The loaded layers, and the MTP block if it is loaded."""
        return self.layers if self.layers.stop < self.config.n_layers else self.config.blocks[self.layers.start :]

    @property
    def nbytes(self) -> int:
        """The bytes of weights in DSP memory."""
        return self.weights.nbytes

    def rotations(self, n_ctx: int, *, has_places: bool = False) -> dict[bool, Rotation]:
        """Return the RoPE tables of layers without and with a sliding window, for a context length.

        Args:
            has_places: as of ``Rotation.of``.
        """
        long_or_short = LONG if n_ctx > self.config.rope.n_ctx_orig else SHORT
        factors = self._factors.get(FREQUENCIES, self._factors.get(long_or_short))
        result = {False: Rotation.of(self.device, self.config, factors, has_window=False, has_places=has_places)}
        if self.config.window:
            factors = None if self.architecture.traits.has_window_rope else factors
            result[True] = Rotation.of(self.device, self.config, factors, has_window=True, has_places=has_places)
        return result


def described(file: ModelFile, checked: tuple[Config, list[str]]) -> str:
    """Describe a model completely, except for the numbers in its tensors."""
    config, names = checked
    return repr((config, [(file.info(name).gguf_type.name, file.info(name).shape) for name in names]))


def checked(file: GGUFFile, *, has_mtp: bool = False) -> tuple[Config, list[str]]:
    """Return the hyper-parameters of a model, and the names of its tensors.

    Args:
        has_mtp: see ``Config``.

    Raises:
        UnsupportedError: the model cannot be run; the message lists all problems.
    """
    known = {name: architecture.traits for name, architecture in ARCHITECTURES.items()}
    config, problems = hyper_parameters.read(file, known, has_mtp=has_mtp)
    if has_mtp and not problems and not ARCHITECTURES[config.architecture].mtp[0]:
        problems.append(f"MTP blocks of {config.architecture} are not supported as drafts")
    names: list[str] = []
    if not problems:
        architecture = ARCHITECTURES[config.architecture]

        def layers(index: int) -> tuple[Shapes, Shapes]:
            return architecture.tensors_of(config, index, lambda name: f"blk.{index}.{name}" in file)

        names, problems = check(file, config, layers, architecture.model_of(config), architecture.ignored)
        if config.is_encoder and config.pooling is None and SCORES in names:
            config = replace(config, pooling="rank")  # llama.cpp's user has to request it
        if config.pooling == "rank" and SCORES not in names:
            problems.append(f"pooling_type is a ranker's, and the tensor {SCORES} is missing")
    if problems:
        shown = [*problems[:20], *([f"and {len(problems) - 20} more"] if len(problems) > 20 else [])]
        raise UnsupportedError(f"{os.fspath(file.path)} cannot be run: {'; '.join(shown)}")
    return config, names
