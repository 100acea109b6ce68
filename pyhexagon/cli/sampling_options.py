# SPDX-License-Identifier: MIT
"""Options of sampling and of speculative decoding, for the commands that complete prompts."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping
from typing import Any, Final

from pyhexagon.cli.llm_options import DRAFTS
from pyhexagon.errors import ArgumentError
from pyhexagon.llm import prompt_lookup
from pyhexagon.llm.engine import sampling_chain
from pyhexagon.llm.engine.sampling_params import with_defaults
from pyhexagon.llm.engine.speculation import Draft
from pyhexagon.llm.engine.stopping import Stop

_FILE: Final = "default: what the model's file recommends, else"
_SAMPLING: Final[Mapping[str, tuple[str, str, type, str]]] = {  # llama.cpp's flags
    "temperature": ("--temp", "T", float, f"temperature; 0 is greedy ({_FILE} 0.8)"),
    "top_k": ("--top-k", "K", int, f"sample from the K most likely tokens; 0: all ({_FILE} 40)"),
    "top_p": ("--top-p", "P", float, f"sample from the most likely tokens with total probability P ({_FILE} 0.95)"),
    "min_p": ("--min-p", "P", float, f"drop tokens below P times the most likely one ({_FILE} 0.05)"),
    "typical_p": ("--typical", "P", float, "locally typical tokens with total probability P (default 1: all)"),
    "top_n_sigma": ("--top-nsigma", "N", float, "drop logits N standard deviations below the largest (default: none)"),
    "xtc_probability": ("--xtc-probability", "P", float, f"how often XTC drops top choices ({_FILE} 0)"),
    "xtc_threshold": ("--xtc-threshold", "P", float, f"least probability of a top choice for XTC ({_FILE} 0.1)"),
    "repeat_penalty": ("--repeat-penalty", "R", float, f"repetition penalty ({_FILE} 1: none)"),
    "repeat_last_n": ("--repeat-last-n", "N", int, f"last tokens to penalize; -1: the context ({_FILE} 64)"),
    "frequency_penalty": ("--frequency-penalty", "F", float, "penalty for each occurrence of a token (default 0)"),
    "presence_penalty": ("--presence-penalty", "P", float, "penalty for tokens that have occurred (default 0)"),
    "dry_multiplier": ("--dry-multiplier", "M", float, "penalty of repeated sequences, DRY (default 0: none)"),
    "dry_base": ("--dry-base", "B", float, "growth of DRY's penalty with the length (default 1.75)"),
    "dry_allowed_length": ("--dry-allowed-length", "N", int, "length up to which DRY has no penalty (default 2)"),
    "dry_penalty_last_n": ("--dry-penalty-last-n", "N", int, "last tokens that DRY searches (default -1: the context)"),
}


_FLAGS: Final = {
    **{name: flag for name, (flag, *_) in _SAMPLING.items()}, "seed": "--seed", "stop": "--stop",
    "repeat": "--repeat-penalty", "last": "--repeat-last-n", "frequency": "--frequency-penalty",
    "presence": "--presence-penalty", "dry_sequence_breakers": "--dry-sequence-breaker",
}  # fmt: skip
_NAMED: Final = re.compile(rf"\b({'|'.join(_FLAGS)}) is\b")  # a name in an error of the library


def add(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("sampling")
    group.add_argument("-n", metavar="N", type=int, help="max tokens to generate (default: until the model stops)")
    for flag, metavar, kind, what in _SAMPLING.values():
        group.add_argument(flag, metavar=metavar, type=kind, help=what)
    group.add_argument(
        "--dry-sequence-breaker", metavar="TEXT", dest="breakers", action="append",
        help="text that ends a repeated sequence, in place of the default ones; may be repeated (none: no text)",
    )  # fmt: skip
    group.add_argument("--seed", metavar="S", type=int, help="seed of the sampler (default: random)")
    group.add_argument("--stop", metavar="TEXT", action="append", default=[], help="stop sequence; may be repeated")
    guessed = group.add_mutually_exclusive_group()
    guessed.add_argument("--draft", metavar="MODEL", help=f"draft model for speculative decoding: {DRAFTS}")
    guessed.add_argument(
        "--lookup", metavar="N", type=int, help="speculative decoding by prompt lookup: N draft tokens"
    )
    group.add_argument(
        "--context-shift", action="store_true", help="when the context is full, drop its older half and continue"
    )
    group.add_argument(
        "--keep", metavar="N", type=int, default=0,
        help="with --context-shift: keep the first N tokens of the prompt, -1: all of them (default 0)",
    )  # fmt: skip


def draft(options: argparse.Namespace) -> Draft | str | None:
    """Return the draft model, for ``loaded``."""
    return options.draft if options.lookup is None else prompt_lookup()


def sampling(options: argparse.Namespace) -> dict[str, Any]:
    """Return the sampling parameters for ``LLM.stream`` and ``LLM.chat``, checked before a model is loaded."""
    params = {name: getattr(options, flag.strip("-").replace("-", "_")) for name, (flag, *_) in _SAMPLING.items()}
    given = {name: value for name, value in params.items() if value is not None} | {"seed": options.seed}
    if options.breakers:
        given["dry_sequence_breakers"] = [text for text in options.breakers if text != "none"]
    try:
        sampling_chain.check(with_defaults(given))
        Stop(options.stop)
    except ArgumentError as error:
        raise ArgumentError(_NAMED.sub(lambda found: f"{_FLAGS[found[1]]} is", str(error))) from None
    if options.lookup is not None and options.lookup < 0:
        raise ArgumentError(f"--lookup is {options.lookup}: expected 0 or more")
    if options.keep < -1:
        raise ArgumentError(f"--keep is {options.keep}: expected 0 or more, or -1 for the prompt")
    if options.n is not None and options.n < 1:
        raise ArgumentError(f"-n is {options.n}: expected 1 or more; without -n the model generates until it stops")
    guessed = {} if options.lookup is None else {"num_draft_tokens": options.lookup}
    return (
        guessed
        | given
        | {
            "max_tokens": options.n,
            "stop": options.stop,
            "context_shift": options.context_shift,
            "n_keep": options.keep,
        }
    )
