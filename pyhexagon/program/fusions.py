# SPDX-License-Identifier: MIT
"""Rules that rewrite a program's ops. What it computes stays the same, to the bit.

An op that is *joined* may run together with the one before it: the DSP then quantises the rows that products share
once, hands work to its threads once, and each thread goes on with the columns it has made itself. Joining is a hint:
the DSP joins ops that are not in each other's way (``dsp/ops/joined.c``), and runs the rest in order. Every op keeps
its own result.
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
_OF_HEADS: Final = ("rms_norm", "l2_norm", "rope", "hadamard")


def rewritten(nodes: Sequence[Node], without: Collection[str] = ()) -> list[Node]:
    """The ops after all rules but those that are left out.

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
    """Products of the same activations follow each other, joined: queries, keys and values; gate and up, of experts
    too."""
    result: list[Node] = []
    for node in nodes:
        at = _product_before(result, node)
        if at is None:
            result.append(node)
        else:
            result.insert(at + 1, node._replace(joined=True))
    return result


def _product_before(nodes: Sequence[Node], node: Node) -> int | None:
    """Where the last product of the same activations is, if the op can move there."""
    if node.row.name in _PRODUCTS:
        for at in range(len(nodes) - 1, max(len(nodes) - 1 - _LOOK_BACK, -1), -1):
            other = nodes[at]
            if other.row is node.row and _activations(other) == _activations(node):
                return at if _home(other) is _home(node) is not None else None
            if _meet(other, node):
                return None
    return None


def _elementwise(nodes: Sequence[Node]) -> list[Node]:
    """What goes element by element over what the op before has made is joined to it: biases, residuals and GLUs to
    products, and to each other, as in the sum of what experts have made."""
    result: list[Node] = []
    made: set[Storage] = set()  # by the joined ops at the end of the result
    for node in nodes:
        reads = {value.storage for value in node.sources if value is not None}
        is_by_element = node.row.kind in ("UNARY", "BINARY") or node.row.name == "add_id"
        is_joined = node.joined or (is_by_element and not made.isdisjoint(reads))
        if not is_joined:
            made.clear()
        if is_joined or is_by_element or node.row.name in _PRODUCTS:
            made.add(node.result.storage)
        result.append(node._replace(joined=is_joined))
    return result


def _norms(nodes: Sequence[Node]) -> list[Node]:
    """A norm of what the op before has made by element is joined to it, and so is what goes by element over what a norm
    has made: residuals beside norms. What is joined to a product stays there."""
    result: list[Node] = []
    for node in nodes:
        before = result[-1] if result else None
        if before is not None and not node.joined and _goes_by_row(before) and _goes_by_row(node):
            reads = {value.storage for value in node.sources if value is not None}
            has_norm = before.row.name in _NORMS or node.row.name in _NORMS
            is_of_chain = before.joined and not _has_norm_before(result)
            is_joined = has_norm and before.result.storage in reads and not is_of_chain
            result.append(node._replace(joined=is_joined))
        else:
            result.append(node)
    return result


def _goes_by_row(node: Node) -> bool:
    return node.row.kind in ("UNARY", "BINARY") or node.row.name in _NORMS


def _has_norm_before(nodes: Sequence[Node]) -> bool:
    """Whether a norm is among the last op and those that it is joined to."""
    for node in reversed(nodes):
        if node.row.name in _NORMS or not node.joined:
            return node.row.name in _NORMS
    return False


def _heads(nodes: Sequence[Node]) -> list[Node]:
    """What makes the queries, keys and values of one token is joined to what puts them into the cache: norms of heads,
    ROPE, rotations. Each thread takes some KV heads through all of them."""
    result = list(nodes)
    for end, node in enumerate(nodes):
        if node.row.name != "cache_append":
            continue
        first = end
        while first > 0 and not result[first].joined and _is_of_heads(result[first - 1]):
            first -= 1
        for at in range(first + 1, end + 1):
            result[at] = result[at]._replace(joined=True)
    return result


def _is_of_heads(node: Node) -> bool:
    """Of one token."""
    shape = node.result.shape
    return node.row.name in _OF_HEADS and len(shape) == 3 and shape[0] == 1


RULES: Final[dict[str, Rule]] = {  # in the order in which they are applied
    "products": _products,
    "elementwise": _elementwise,
    "norms": _norms,
    "heads": _heads,
}


def _activations(product: Node) -> list[tuple[object, ...]]:
    """And the ids, of a product that has some."""
    return [(value.storage, value.view) for value in product.sources[1:] if value is not None]


def _home(product: Node) -> object:
    """The session of a product's weight; None if it lies in several."""
    weight = product.sources[0]
    tensor = None if weight is None else weight.storage.tensor
    return tensor.parts[0].buffer.home if tensor is not None and len(tensor.parts) == 1 else None


def _meet(one: Node, other: Node) -> bool:
    """Whether one of two ops writes what the other one reads or writes."""
    return any(
        a.result.storage in {b.result.storage, *(value.storage for value in b.sources if value is not None)}
        for a, b in ((one, other), (other, one))
    )
