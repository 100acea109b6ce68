# SPDX-License-Identifier: MIT
"""Options of the speech model and its device, for the commands that transcribe."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pyhexagon.cli import on_board
from pyhexagon.cli.output import Output, add_device_options, add_vote_options, device_options
from pyhexagon.device import Device

if TYPE_CHECKING:
    from pyhexagon.speech.shared import SharedWhisper


def add(parser: argparse.ArgumentParser, group: argparse._ActionsContainer) -> None:
    """Add the options.

    Args:
        parser: of the command.
        group: gets those of the device.
    """
    group.add_argument(
        "--weights", choices=("file", "q8_0"), default="file",
        help="types of weights: those of the file (default), or Q8_0 for float ones, which is faster",
    )  # fmt: skip
    group.add_argument("--threads", metavar="T", type=int, help="threads of the DSP, or of --device cpu (default: all)")
    add_device_options(group)
    add_vote_options(group)
    on_board.add_option(parser)


@contextmanager
def loaded(
    options: argparse.Namespace, output: Output, *, n_sequences: int, n_windows: int = 2
) -> Iterator[SharedWhisper]:
    """Open the device and load the model; see ``Whisper``."""
    from pyhexagon.speech.shared import SharedWhisper
    from pyhexagon.speech.whisper import Whisper

    with Device(options.device, threads=options.threads, **device_options(options)) as device:
        with output.progress(f"loading {options.model}") as progress:
            model = Whisper(
                options.model, device=device, weights=options.weights, n_sequences=n_sequences, n_windows=n_windows,
                progress=progress,
            )  # fmt: skip
        with model:
            yield SharedWhisper(model)
