# SPDX-License-Identifier: MIT
"""The memory shared by host and DSP that a model uses, or will use."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from math import prod
from typing import Final, NamedTuple

from pyhexagon import quants
from pyhexagon._ffi.rpcmem import PAGE, SharedMemory
from pyhexagon.cache import PAGE_TOKENS, page_bytes
from pyhexagon.device import Device
from pyhexagon.errors import DspMemoryError
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.gguf.headers import TensorInfo
from pyhexagon.llm.architectures import ARCHITECTURES
from pyhexagon.llm.engine.encoder import n_pages_in_all, page_shapes
from pyhexagon.llm.engine.forward import MAX_BATCH_TOKENS
from pyhexagon.llm.engine.stage import room
from pyhexagon.llm.files.config import Config
from pyhexagon.llm.files.weights import (
    EMBEDDING,
    N_STREAMS,
    OUTPUT,
    is_on_host,
    is_vector,
    of_layers,
    place,
    sizes,
    suppression,
)
from pyhexagon.memory.capacity import ADDRESS_SPACE, available
from pyhexagon.memory.memory import allocation_size
from pyhexagon.memory.placement import spare_bytes
from pyhexagon.process.resources import WORKSPACE_BYTES
from pyhexagon.program.rendezvous import bounded_tiles, may_share, meeting_bytes, meeting_tile_bytes
from pyhexagon.program.sharing import cpu_tiles
from pyhexagon.tensor import Tensor

_PER_LAYER_VALUES: Final = 4  # of the size of all per-layer embeddings that a program keeps at once
_MESSAGES: Final = 256 << 10  # approximate bytes of requests and responses of a session
_BATCH_SIZES: Final = [1 << shift for shift in range(MAX_BATCH_TOKENS.bit_length())]  # each has a program


class SessionMemory(NamedTuple):
    """The bytes mapped into a DSP process; a buffer counts in the first process that maps it.

    Attributes:
        model: weights.
        context: KV caches, and RoPE tables.
        compute: activations and results, including the pool's free buffers; messages; the spare buffer.
    """

    model: int
    context: int
    compute: int

    def plus(self, other: SessionMemory) -> SessionMemory:
        """Return the sum with another one's bytes."""
        return SessionMemory(*map(sum, zip(self, other, strict=True)))


def used(device: Device, weights: Iterable[Tensor], contexts: Iterable[Tensor]) -> list[SessionMemory]:
    """Return the allocated bytes of each session.

    Args:
        weights, contexts: the tensors to count as "model" and as "context"; all others are "compute".
    """
    kinds: dict[SharedMemory, int] = {buffer: 0 for tensor in weights for buffer in tensor.buffers()}
    kinds |= {buffer: 1 for tensor in contexts for buffer in tensor.buffers()}
    sums = [[0, 0, 0] for _ in device._sessions]
    seen: set[SharedMemory] = set()
    mapped: list[tuple[int, SharedMemory]] = [
        (session.index, buffer) for session in device._sessions for buffer in session.buffers()
    ]
    for index, buffer in [*mapped, *((0, buffer) for buffer in device._memory.buffers())]:
        if buffer not in seen:
            seen.add(buffer)
            sums[index][kinds.get(buffer, 2)] += buffer.size
    return [SessionMemory(*figures) for figures in sums]


def share_of(device: Device) -> float:
    """Return the part of each matmul's weight rows that the CPU computes for a device (``Device.cpu_share``)."""
    return 0.0 if device._runner.sharing is None else device._runner.sharing.share


def planned(
    file: GGUFFile,
    checked: tuple[Config, list[str]],
    n_ctx: int,
    *,
    n_sequences: int = 1,
    kind: str = "q8_0",
    layers: range | None = None,
    cpu_share: float = 0.0,
) -> SessionMemory:
    """Return the bytes that a model, or some of its layers, will take in all sessions together. Reads no weight.

    Args:
        checked: the result of ``pyhexagon.llm.engine.model.checked`` for the file.
        n_ctx, n_sequences, kind: as for ``Stage``.
        cpu_share: of the device: the compute memory includes the meetings of the programs of all batch sizes.

    Raises:
        ArgumentError: as ``Stage``.
    """
    config, names = checked
    layers = range(config.n_layers) if layers is None else layers
    architecture = ARCHITECTURES[config.architecture]
    n_small = model = 0
    loaded = (name for name in names if not is_on_host(name))
    on_device = of_layers(loaded, layers, config.n_layers, architecture.last_norm)
    for name in on_device:
        info = file.info(name)
        if is_vector(name, info.shape):
            n_small += vector_bytes(prod(info.shape))
        else:
            model += matrix_bytes(info)
    n_small += vector_bytes(config.n_heads[0]) if architecture.max_bias else 0
    suppressed = suppression(file) if layers.stop == config.n_layers else None
    n_small += 0 if suppressed is None else vector_bytes(len(suppressed))
    end = layers.stop if layers.stop < config.n_layers else None
    rooms = room(config, n_ctx, n_sequences=n_sequences, kind=kind)[layers.start : end]
    if config.is_encoder:
        shapes = set(page_shapes(config).values())
        rooms = [n_pages_in_all(n_ctx) * page_bytes(*shape, kind) for shape in shapes]
    context = sum(map(_pages, rooms)) + PAGE * (2 if config.window else 1)
    compute = _compute_bytes(config, file.info(EMBEDDING).shape[0], model)
    if cpu_share:
        matrices = {name: file.info(name).shape for name in on_device if name != EMBEDDING or OUTPUT not in names}
        compute += sum(allocation_size(meetings_bytes(matrices, config, cpu_share, n_rows)) for n_rows in _BATCH_SIZES)
    return SessionMemory(model + allocation_size(n_small), context, compute)


def meetings_bytes(
    weights: Mapping[str, tuple[int, ...]], config: Config, cpu_share: float, n_rows: int, n_logits: int = 1
) -> int:
    """Return the bytes of the meetings of CPU and DSP in the program of a batch shape (docs/cpu.md).

    Args:
        weights: the shapes of the weights on the DSP, by name; without an embedding whose rows are only looked up.
        cpu_share: of the device.
        n_rows: tokens of the batch.
        n_logits: tokens with logits.
    """
    wanted: list[tuple[int, int]] = []
    for name, shape in weights.items():
        is_by_ids = "_exps." in name
        if is_vector(name, shape) or len(shape) != 2 + is_by_ids:
            continue
        n, k = shape[-2:]
        n_x = n_logits if name in (OUTPUT, EMBEDDING) else n_rows
        n_results = n_x * config.n_experts_used if is_by_ids else n_x
        if "_down_exps." in name:
            n_x = n_results
        if may_share("mul_mat_id" if is_by_ids else "mul_mat", n_results, n_x, k):
            wanted.append((cpu_tiles(cpu_share, -(-n // quants.TILE_ROWS)), meeting_tile_bytes(n_results)))
    bounded = zip(bounded_tiles(wanted), wanted, strict=True)
    return sum(meeting_bytes(n_tiles, tile_bytes) for n_tiles, (_, tile_bytes) in bounded if n_tiles)


def planned_sessions(
    file: GGUFFile, checked: tuple[Config, list[str]], n_ctx: int, session_bytes: int, *, kind: str = "q8_0"
) -> list[int]:
    """Return the bytes of weights and reserved KV cache that each session will hold. Reads no weight.

    Args:
        checked, n_ctx, kind: as for ``planned``; the model is not an encoder.
        session_bytes: what one DSP process can map. No interface reports it: ``Device.rooms`` measures it.

    Raises:
        ArgumentError: as ``Stage``.
        DspMemoryError: a weight is larger than a session.
    """
    config, names = checked
    rooms = room(config, n_ctx, kind=kind)
    infos = [file.info(name) for name in names if not is_on_host(name) and not is_vector(name, file.info(name).shape)]
    order = sorted(infos, key=lambda info: place(info.name))
    last = {place(info.name): info.name for info in order}
    free = session_bytes - WORKSPACE_BYTES - _MESSAGES
    sessions = [0]
    for info in order:
        needed = [matrix_bytes(info)]
        index = place(info.name)
        if index in config.own_blocks and last[index] == info.name:
            needed.append(sum(_pages(n) for layer, n in enumerate(rooms) if config.block_of(layer) == index))
        for size in needed:
            if size + spare_bytes(size) > free:
                raise DspMemoryError(f"{info.name} has {size:,} bytes: a session has room for {free:,}")
            total = sessions[-1] + size
            if total + spare_bytes(total) > free:
                sessions.append(0)
            sessions[-1] += size
    return sessions


def _compute_bytes(config: Config, n_tokens: int, model: int) -> int:
    """Estimate the compute memory: an arena per program, logits, messages, and the spare buffer."""
    n_wide = 2 if ARCHITECTURES[config.architecture].streams is None else 3 * N_STREAMS
    row = 0
    for index in range(config.n_layers):
        lengths = sizes(config, index)
        row = max(row, 4 * (n_wide * config.width + max(lengths["qkv"] + lengths["q"], 3 * lengths["ffn"])))
    row += 4 * _PER_LAYER_VALUES * config.n_per_layer * config.n_layers
    arenas = sum(allocation_size(row * n_rows) for n_rows in _BATCH_SIZES)
    return arenas + 2 * allocation_size(4 * n_tokens) + spare_bytes(model) + _MESSAGES


def longest_context(
    plan: SessionMemory, config: Config, n_bytes: int, kind: str = "q8_0", n_sequences: int = 1
) -> int:
    """Return the longest context length that fits into ``n_bytes``, at most the model's own.

    Args:
        plan: of the model with any context length.
        n_sequences: of that length.
    """
    free = n_bytes - plan.model - plan.compute
    lengths = [*range(PAGE_TOKENS, config.n_ctx, PAGE_TOKENS), config.n_ctx]
    n_fitting = bisect_right(
        lengths, free, key=lambda n_ctx: sum(room(config, n_ctx, n_sequences=n_sequences, kind=kind))
    )
    return lengths[n_fitting - 1] if n_fitting else 0


def check_fits(plan: SessionMemory, what: str, max_sessions: int) -> None:
    """Refuse a model that can never fit, before anything is opened or read.

    Raises:
        DspMemoryError: the message has the sizes.
    """
    total, n_free, reachable = sum(plan), available(), max_sessions * ADDRESS_SPACE
    if total > min(n_free, reachable):
        raise DspMemoryError(
            f"{what} needs {total:,} bytes: model {plan.model:,}, context {plan.context:,}, compute {plan.compute:,}; "
            f"the system has {n_free:,} left, and {max_sessions} sessions reach {reachable:,} at most",
            hint="use a smaller n_ctx or a smaller model; pyhexagon show MODEL lists what fits where",
        )


def matrix_bytes(info: TensorInfo) -> int:
    """Return the bytes that a matrix takes on the device."""
    return _pages(prod(info.shape[:-2]) * quants.tile_bytes(info.gguf_type, *info.shape[-2:]))


def vector_bytes(n: int) -> int:
    """Return the bytes that n float32 of a tensor that is no matrix take on the device."""
    return -(-n // 32) * 128


def _pages(n_bytes: int) -> int:
    return -(-n_bytes // PAGE) * PAGE
