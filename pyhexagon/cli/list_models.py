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
    parser.add_argument("--check", action="store_true", help="read all pulled files and compare their SHA-256")
    on_board.add_option(parser)


def run(options: argparse.Namespace, output: Output) -> int:
    states = {entry: _state(entry, is_thorough=options.check) for entry in store.entries()}
    models = [
        {"name": entry.name, "state": state, "bytes": entry.size, "source": entry.source,
         "images": bool(entry.mmproj)}
        for entry, state in states.items()
    ]
    code = int(any(model["state"] == "changed" for model in models))
    if options.all:
        names = {model["name"] for model in models}
        models += [
            {"name": name, "state": "not pulled", "bytes": model.total_size, "source": f"{store.HUB}{model.repo}",
             "images": bool(model.mmproj)}
            for name, model in catalogue.published().items()
            if name not in names
        ]
    for model in models:
        model["board_gb"] = None if model["state"] == "incomplete" else catalogue.board(int(str(model["bytes"])))
    if output.as_json:
        output.json({"folder": str(store.folder()), "models": models})
        return code
    if not models:
        output.facts([("folder", str(store.folder())), ("models", "none; pyhexagon list --all shows what to pull")])
        return code
    output.table(
        [("name", False), ("state", False), ("MB", True), ("board", True), ("images", False), ("source", False)],
        [
            [
                str(model["name"]), str(model["state"]), f"{int(str(model['bytes'])) / 1e6:,.0f}",
                f"{model['board_gb']} GB" if model["board_gb"] else "-",
                "yes" if model["images"] else "-", str(model["source"]),
            ]
            for model in models
        ],
        n_keys=1,
    )  # fmt: skip
    return code


def _state(entry: store.Entry, *, is_thorough: bool) -> str:
    if not entry.is_complete:
        return "incomplete"
    if not os.path.exists(entry.path):  # a linked file that was moved
        return "missing"
    if is_thorough and store.changed_files(entry, is_thorough=True):
        return "changed"
    return "pulled" if entry.source.startswith(store.HUB) else "linked"
