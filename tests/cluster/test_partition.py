# SPDX-License-Identifier: MIT
"""The partition of layers over boards."""

from __future__ import annotations

import itertools

import pytest

from pyhexagon import ArgumentError, ClusterError, DspMemoryError
from pyhexagon.cluster import connecting
from pyhexagon.llm.partition import cut

GIB = 1 << 30


def test_boards_of_different_size() -> None:
    """28 layers of 512 MiB, with a larger first and last one, over boards of 4, 8, 12 and 16 GB."""
    layers = [GIB, *[GIB // 2] * 26, GIB]
    parts = cut(layers, GIB // 4, [4 * GIB, 8 * GIB, 12 * GIB, 16 * GIB])
    assert [board for board, _ in parts] == [3]
    parts = cut(layers, GIB // 4, [4 * GIB, 8 * GIB, 12 * GIB])
    assert [board for board, _ in parts] == [1, 2]
    assert [layer for _, part in parts for layer in part] == list(range(28))
    parts = cut(layers, GIB // 4, [4 * GIB, 8 * GIB, 6 * GIB])
    assert [board for board, _ in parts] == [0, 1, 2]
    assert [sum(layers[layer] for layer in part) / GIB for _, part in parts] == [3.5, 6, 5.5]
    with pytest.raises(DspMemoryError, match="devices can take"):
        cut(layers, GIB // 4, [4 * GIB, 4 * GIB])
    with pytest.raises(ArgumentError, match="expected 1 to 2"):
        cut(layers, 0, [GIB, GIB], 3)


def test_the_largest_stage_is_as_small_as_it_can_be() -> None:
    layers = [5, 1, 1, 7, 2, 2, 3]
    for n in (1, 2, 3, 4):
        parts = cut(layers, 1, [30] * 4, n)
        largest = max(sum(layers[layer] for layer in part) for _, part in parts)
        cuts = itertools.combinations(range(1, len(layers)), n - 1)
        best = min(max(sum(layers[a:b]) for a, b in itertools.pairwise([0, *ends, len(layers)])) for ends in cuts)
        assert largest == best
        assert len(parts) == n


@pytest.mark.parametrize(
    ("name", "version", "is_alike"),
    [("python", "3.11.99", True), ("python", "3.8.1", False), ("ray", "1.0", False), ("pyhexagon", "0.0.1", False)],
)
def test_versions(monkeypatch: pytest.MonkeyPatch, name: str, version: str, is_alike: bool) -> None:
    here = {"python": "3.11.7", "ray": "2.60.0", "pyhexagon": "0.1.0"}
    monkeypatch.setattr(connecting, "versions", lambda: here)
    there = {"host": "two", "versions": here | {name: version}, "skel": "a"}
    boards = [{"host": "one", "versions": here, "skel": "a"}, there]
    if is_alike:
        connecting.check_alike(boards)
        return
    mend = "use a head that has 3.8" if name == "python" else "pyhexagon deploy two --cluster"
    with pytest.raises(ClusterError, match=f"two has {name} {version}.*{mend}"):
        connecting.check_alike(boards)


def test_another_skel(monkeypatch: pytest.MonkeyPatch) -> None:
    boards: list[connecting.Facts] = [{"host": host, "versions": {}, "skel": host} for host in ("one", "two")]
    monkeypatch.setattr(connecting, "versions", dict)
    with pytest.raises(ClusterError, match=r"the skel of two is two, that of one one.*pyhexagon deploy two"):
        connecting.check_alike(boards)
