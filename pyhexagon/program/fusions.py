# SPDX-License-Identifier: MIT
"""Fusion rules, which rewrite a program's ops without changing any bit of its results.

A *fused* op may run together with the op before it: the DSP then quantises the rows that matmuls share once, dispatches
to its threads once, and each thread continues with the columns that it has computed itself. Fusion is a hint: the DSP
fuses ops that do not conflict (``dsp/ops/fused.c``) and runs the others in order. Every op keeps its own result.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Final

from pyhexagon.errors import ArgumentError
from pyhexagon.program.graph import Node, Storage

Rule = Callable[[Sequence[Node]], list[Node]]

_LOOK_BACK: Final = 16  # ops
_PRODUCTS: Final = ("mul_mat", "mul_mat_id")
_NORMS: Final = ("rms_norm", "norm", "l2_norm")
_PER_HEAD: Final = ("rms_norm", "l2_norm", "rope", "hadamard")


def apply_rules(nodes: Sequence[Node], without: Collection[str] = ()) -> list[Node]:
    """Return the ops after applying all rules except those named in ``without``.

    Raises:
        ArgumentError: there is no rule of that name.
    """
    for name in without:
        if name not in RULES:
            raise ArgumentError(f"no rule {name!r}: there are {', '.join(RULES)}")
    result = list(nodes)
    for name, rule in RULES.items():
        if name not in without:
            result = rule(result)
    return result


def _products(nodes: Sequence[Node]) -> list[Node]:
    """Fuse matmuls of the same activations and move them together: queries, keys and values; gate and up, also of
    experts."""
    result: list[Node] = []
    for node in nodes:
        at = _matmul_before(result, node)
        if at is None:
            result.append(node)
        else:
            result.insert(at + 1, node._replace(fused=True))
    return result


def _matmul_before(nodes: Sequence[Node], node: Node) -> int | None:
    """Return the position of the last matmul of the same activations, if the op can move there; else None."""
    if node.row.name in _PRODUCTS:
        for at in range(len(nodes) - 1, max(len(nodes) - 1 - _LOOK_BACK, -1), -1):
            other = nodes[at]
            if other.row is node.row and _activations(other) == _activations(node):
                return at if _home(other) is _home(node) is not None else None
            if _conflict(other, node):
                return None
    return None


def _elementwise(nodes: Sequence[Node]) -> list[Node]:
    """Fuse elementwise ops with the op that made their operand: biases, residuals and GLUs with matmuls and with each
    other, also in the sum over experts."""
    result: list[Node] = []
    fused_results: set[Storage] = set()  # results of the fused ops at the end of the list
    for node in nodes:
        reads = {value.storage for value in node.sources if value is not None}
        is_by_element = node.row.kind in ("UNARY", "BINARY") or node.row.name == "add_id"
        is_fused = node.fused or (is_by_element and not fused_results.isdisjoint(reads))
        if not is_fused:
            fused_results.clear()
        if is_fused or is_by_element or node.row.name in _PRODUCTS:
            fused_results.add(node.result.storage)
        result.append(node._replace(fused=is_fused))
    return result


def _norms(nodes: Sequence[Node]) -> list[Node]:
    """Fuse a norm with the elementwise op before it, and an elementwise op with the norm before it: residuals beside
    norms. Ops that are fused with a matmul stay there."""
    result: list[Node] = []
    for node in nodes:
        before = result[-1] if result else None
        if before is not None and not node.fused and _is_rowwise(before) and _is_rowwise(node):
            reads = {value.storage for value in node.sources if value is not None}
            has_norm = before.row.name in _NORMS or node.row.name in _NORMS
            is_of_chain = before.fused and not _has_norm_before(result)
            is_fused = has_norm and before.result.storage in reads and not is_of_chain
            result.append(node._replace(fused=is_fused))
        else:
            result.append(node)
    return result


def _is_rowwise(node: Node) -> bool:
    return node.row.kind in ("UNARY", "BINARY") or node.row.name in _NORMS


def _has_norm_before(nodes: Sequence[Node]) -> bool:
    """Return whether a norm is in the fused group that ends with the last op."""
    for node in reversed(nodes):
        if node.row.name in _NORMS or not node.fused:
            return node.row.name in _NORMS
    return False


def _heads(nodes: Sequence[Node]) -> list[Node]:
    """Fuse the per-head ops of one token's queries, keys and values (norms, ROPE, Hadamard) with the cache append that
    follows. Each thread computes all of them for some KV heads."""
    result = list(nodes)
    for end, node in enumerate(nodes):
        if node.row.name != "cache_append":
            continue
        first = end
        while first > 0 and not result[first].fused and _is_per_head(result[first - 1]):
            first -= 1
        for at in range(first + 1, end + 1):
            result[at] = result[at]._replace(fused=True)
    return result


def _is_per_head(node: Node) -> bool:
    """Return whether the op works per head, on a single token."""
    shape = node.result.shape
    return node.row.name in _PER_HEAD and len(shape) == 3 and shape[0] == 1


RULES: Final[dict[str, Rule]] = {  # in order of application
    "products": _products,
    "elementwise": _elementwise,
    "norms": _norms,
    "heads": _heads,
}


def _activations(product: Node) -> list[tuple[object, ...]]:
    """Return the activations of a matmul, including the expert ids if it has any."""
    return [(value.storage, value.view) for value in product.sources[1:] if value is not None]


def _home(product: Node) -> object:
    """Return the session of a matmul's weight; None if the weight is split over several."""
    weight = product.sources[0]
    tensor = None if weight is None else weight.storage.tensor
    return tensor.parts[0].buffer.home if tensor is not None and len(tensor.parts) == 1 else None


def _conflict(one: Node, other: Node) -> bool:
    """Return whether one of two ops writes what the other one reads or writes."""
    return any(
        not {value.storage for value in a.results}.isdisjoint(
            value.storage for value in (*b.results, *b.sources) if value is not None
        )
        for a, b in ((one, other), (other, one))
    )
