# SPDX-License-Identifier: MIT
"""``pyhexagon list``: list the models that were pulled or linked, and the catalogue's."""

from __future__ import annotations

import argparse
import os

from pyhexagon.cli import on_board
from pyhexagon.cli.output import Output
from pyhexagon.models import catalogue, store


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--all", action="store_true", help="also list the models of the catalogue")
    on_board.add_option(parser)


def run(options: argparse.Namespace, output: Output) -> None:
    models = [
        {"name": entry.name, "state": _state(entry), "bytes": entry.size, "source": entry.source}
        for entry in store.entries()
    ]
    if options.all:
        names = {model["name"] for model in models}
        models += [
            {"name": name, "state": "not pulled", "bytes": one.size, "source": f"{store.HUB}{one.repo}"}
            for name, one in catalogue.published().items()
            if name not in names
        ]
    for model in models:
        model["board_gb"] = None if model["state"] == "incomplete" else catalogue.board(int(str(model["bytes"])))
    if output.as_json:
        output.json({"folder": str(store.folder()), "models": models})
        return
    if not models:
        output.facts([("folder", str(store.folder())), ("models", "none; pyhexagon list --all shows what to pull")])
        return
    output.table(
        [("name", False), ("state", False), ("MB", True), ("board", True), ("source", False)],
        [
            [
                str(model["name"]), str(model["state"]), f"{int(str(model['bytes'])) / 1e6:,.0f}",
                f"{model['board_gb']} GB" if model["board_gb"] else "-", str(model["source"]),
            ]
            for model in models
        ],
        n_keys=1,
    )  # fmt: skip


def _state(entry: store.Entry) -> str:
    if not entry.is_complete:
        return "incomplete"
    if not os.path.exists(entry.path):  # a linked file that was moved
        return "missing"
    return "pulled" if entry.source.startswith(store.HUB) else "linked"
