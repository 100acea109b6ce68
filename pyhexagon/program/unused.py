# SPDX-License-Identifier: MIT
"""Removal of ops whose results nothing reads."""

from __future__ import annotations

from pyhexagon.program.graph import Graph, Kind


def drop_unused(graph: Graph) -> None:
    """Remove the ops that contribute to no output and to no tensor that the graph writes."""
    used, kept = {port.storage for port in graph.outputs}, []
    for node in reversed(graph.nodes):
        if node.result.storage.kind is Kind.CONSTANT or any(value.storage in used for value in node.results):
            used.update(value.storage for value in (node.result, *node.sources) if value is not None)
            kept.append(node)
    graph.nodes[:] = kept[::-1]
