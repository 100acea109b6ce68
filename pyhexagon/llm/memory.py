# SPDX-License-Identifier: MIT
"""What a model takes of the memory that host and DSP share: as it is, and as it will be."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from typing import Final, NamedTuple

from pyhexagon import quants
from pyhexagon._ffi.rpcmem import PAGE, SharedMemory
from pyhexagon.cache import PAGE_TOKENS
from pyhexagon.device import Device
from pyhexagon.errors import DspMemoryError
from pyhexagon.gguf_file import GGUFFile
from pyhexagon.llm.architectures import ARCHITECTURES
from pyhexagon.llm.config import Config
from pyhexagon.llm.encoder import n_pages_in_all
from pyhexagon.llm.stage import room
from pyhexagon.llm.texts import LARGEST_PIECE
from pyhexagon.llm.weights import EMBEDDING, is_on_host, is_small, of_layers, sizes
from pyhexagon.memory.capacity import ADDRESS_SPACE, available
from pyhexagon.memory.memory import rounded
from pyhexagon.memory.placement import spare_bytes
from pyhexagon.tensor import Tensor

_MESSAGES: Final = 256 << 10  # requests and responses of a session, about


class SessionMemory(NamedTuple):
    """Bytes allocated for what is mapped in a DSP process, each buffer in the first one that it is mapped in.

    Attributes:
        model: weights.
        context: caches, and tables of rotations.
        compute: activations and results, those that are free in the pool too; messages; the spare that keeps room.
    """

    model: int
    context: int
    compute: int


def used(device: Device, weights: Iterable[Tensor], contexts: Iterable[Tensor]) -> list[SessionMemory]:
    """What is allocated, for each session.

    Args:
        weights, contexts: what is to be told apart from all else.
    """
    kinds: dict[SharedMemory, int] = {buffer: 0 for tensor in weights for buffer in tensor.buffers()}
    kinds |= {buffer: 1 for tensor in contexts for buffer in tensor.buffers()}
    sums = [[0, 0, 0] for _ in device.sessions]
    seen: set[SharedMemory] = set()
    mapped: list[tuple[int, SharedMemory]] = [
        (session.index, buffer) for session in device.sessions for buffer in session.buffers()
    ]
    for index, buffer in [*mapped, *((0, buffer) for buffer in device.memory.buffers())]:
        if buffer not in seen:
            seen.add(buffer)
            sums[index][kinds.get(buffer, 2)] += buffer.size
    return [SessionMemory(*one) for one in sums]


def planned(
    file: GGUFFile,
    checked: tuple[Config, list[str]],
    n_ctx: int,
    *,
    n_texts: int = 1,
    kind: str = "q8_0",
    layers: range | None = None,
) -> SessionMemory:
    """What a model, or some layers of it, will take in all sessions together. No weight is read for it.

    Args:
        checked: what ``pyhexagon.llm.model.checked`` says of the file.
        n_ctx, n_texts, kind: as for ``Context``.

    Raises:
        ArgumentError: as ``Context``.
    """
    config, names = checked
    layers = range(config.n_layers) if layers is None else layers
    n_small = model = 0
    for name in of_layers((name for name in names if not is_on_host(name)), layers, config.n_layers):
        info = file.info(name)
        if is_small(name, info.shape):
            n_small += -(-prod(info.shape) // 32) * 128
        else:
            model += _pages(prod(info.shape[:-2]) * quants.tile_bytes(info.gguf_type, *info.shape[-2:]))
    rooms = room(config, n_ctx, n_texts=n_texts, kind=kind)[layers.start : layers.stop]
    if ARCHITECTURES[config.architecture].traits.is_encoder:
        rooms = room(config, n_pages_in_all(n_ctx) * PAGE_TOKENS, kind=kind)[:1]
    context = sum(map(_pages, rooms)) + PAGE * (2 if config.window else 1)
    return SessionMemory(
        model + rounded(n_small), context, _compute_bytes(config, file.info(EMBEDDING).shape[0], model)
    )


def _compute_bytes(config: Config, n_tokens: int, model: int) -> int:
    """About what is computed: an arena for each program, logits, messages, and the spare."""
    row = 0
    for index in range(config.n_layers):
        lengths = sizes(config, index)
        row = max(row, 4 * (2 * config.width + max(lengths["qkv"] + lengths["q"], 3 * lengths["ffn"])))
    arenas = sum(rounded(row << shift) for shift in range(LARGEST_PIECE.bit_length()))
    return arenas + 2 * rounded(4 * n_tokens) + spare_bytes(model) + _MESSAGES


def longest_context(plan: SessionMemory, config: Config, n_bytes: int, kind: str = "q8_0") -> int:
    """How many tokens of context fit into so many bytes, at most those that the model was made for.

    Args:
        plan: of the model with any context.
    """
    one, two = (sum(room(config, n_tokens, kind=kind)) for n_tokens in (1, PAGE_TOKENS + 1))
    per_page = two - one
    free = n_bytes - plan.model - plan.compute - (one - per_page)
    return max(0, min(config.n_ctx, free // per_page * PAGE_TOKENS))


def check_fits(plan: SessionMemory, what: str, max_sessions: int) -> None:
    """Refuses what cannot fit in any case: before anything is opened or read.

    Raises:
        DspMemoryError: the message has the numbers.
    """
    total, n_free, reachable = sum(plan), available(), max_sessions * ADDRESS_SPACE
    if total > min(n_free, reachable):
        raise DspMemoryError(
            f"{what} needs {total:,} bytes: model {plan.model:,}, context {plan.context:,}, compute {plan.compute:,}; "
            f"the system has {n_free:,} left, and {max_sessions} sessions reach {reachable:,} at most",
            hint="a smaller n_ctx, or a smaller model; pyhexagon show MODEL tells what fits where",
        )


def _pages(n_bytes: int) -> int:
    return -(-n_bytes // PAGE) * PAGE
