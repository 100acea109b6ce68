# SPDX-License-Identifier: MIT
"""llama.cpp's flags: each is translated to ours, ignored because it is always so here, or refused with the reason.

A command's own options win: the table applies to what a command's parser does not have.
"""

from __future__ import annotations

import argparse
import difflib
import re
import sys
from collections.abc import Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

MODEL: Final = "MODEL"  # the positional argument
_SWITCH: Final = frozenset({"on", "off", "auto", "1", "0", "true", "false"})
_WORD: Final = re.compile(r"-[a-z][a-z-]+")


class Flag(NamedTuple):
    """What becomes of a flag.

    Attributes:
        values: the number of values it takes; -1: one of on, off and auto, which may be absent.
        ours: our option in its place, or ``MODEL``; with a reason, commands without the option ignore the flag.
        reason: why it is ignored, or refused.
        is_refused: whether the program would not do what the flag asks for.
    """

    values: int = 0
    ours: str = ""
    reason: str = ""
    is_refused: bool = False


def _same(ours: str) -> Flag:
    return Flag(1, ours)


def _always(reason: str, values: int = 0) -> Flag:
    return Flag(values, "", reason)


def _no(reason: str, values: int = 1) -> Flag:
    return Flag(values, "", reason, is_refused=True)


_LAYERS = _always("all layers run on the device, or the model is refused; --device cpu computes on the CPU", 1)
_ATTENTION = _always("attention is always computed in blocks (flash attention)", -1)
_CACHE = _same("--kv")
_BATCH = Flag(1, "-b", "the program chooses the rows of a prefill chunk")
_FILES = _always("weights are always copied into the device's memory")
_SPLIT = _no("layers are split over sessions and devices by their memory: --device A,B names several", 1)
_SAMPLERS = _no("there are --temp, --top-k, --top-p, --min-p, --typical, --top-nsigma, XTC, DRY and penalties", 1)
_ROPE = _no("the model's file says how positions are encoded", 1)
_PULL = _no("pyhexagon pull NAME downloads a model", 1)
_TEMPLATE = _no("the chat template is the one in the model's file, or in --chat-template-file", 1)
_CPU = _always("it concerns llama.cpp's CPU threads", 1)
_SHOWN = _always("the output is always plain text, and figures go to stderr")
_THINKING = _no("reasoning goes to stderr, or into a field of its own in the APIs", 1)
_IMAGES = _no("images are for pyhexagon run and chat MODEL --mmproj FILE --image FILE, and for pyhexagon serve", 1)
_LOOKUP = _no("--draft MODEL or --lookup N choose speculative decoding", 1)
_CHAT = Flag(0, "--chat", "pyhexagon chat always converses")

_GROUPS: Final = (
    ("-m --model", _same(MODEL)),
    ("-p --prompt -f --file", _no("pyhexagon run completes a prompt", 1)),
    ("-c --ctx-size", _same("-c")),
    ("-n --predict --n-predict", _same("-n")),
    ("-t --threads", _same("--threads")),
    ("-ctk --cache-type-k -ctv --cache-type-v", _CACHE),
    ("-s --seed", _same("--seed")),
    ("--temp --temperature", _same("--temp")),
    ("-sys --system-prompt", _same("--system")),
    ("-r --reverse-prompt", _same("--stop")),
    ("-md --model-draft", _same("--draft")),
    ("-dev --device", _same("--device")),
    ("-np --parallel", _same("--parallel")),
    ("-a --alias", _same("--alias")),
    ("-to --timeout", _same("--timeout")),
    ("-j --json-schema", _same("--json-schema")),
    ("-jf --json-schema-file", _same("--json-schema-file")),
    ("-cnv --conversation", _CHAT),
    ("-no-cnv --no-conversation", _always("pyhexagon run completes a text unless --chat is given")),
    ("-ngl --gpu-layers --n-gpu-layers", _LAYERS),
    ("-fa --flash-attn", _ATTENTION),
    ("-b --batch-size -ub --ubatch-size", _BATCH),
    ("--mmap --no-mmap --mlock -dio --direct-io", _FILES),
    ("--numa -C --cpu-mask -Cr --cpu-range --cpu-strict --prio --poll -tb --threads-batch", _CPU),
    ("--jinja", _always("chat templates are always computed as Jinja")),
    ("--no-jinja", _no("chat templates are always computed as Jinja", 0)),
    ("-cb --cont-batching", _always("sequences are always batched continuously")),
    ("-nocb --no-cont-batching", _no("sequences are always batched continuously", 0)),
    ("--warmup --no-warmup --perf --no-perf --no-context-shift", _always("it is the default, or has no effect here")),
    ("-co --color --simple-io --no-display-prompt --log-disable --verbose-prompt", _SHOWN),
    ("-ot --override-tensor -ts --tensor-split -sm --split-mode -mg --main-gpu", _SPLIT),
    ("-ncmoe --n-cpu-moe", _no("experts stay on the device; --cpu-share S gives the CPU a part of each product", 1)),
    ("-cmoe --cpu-moe", _no("experts stay on the device; --cpu-share S gives the CPU a part of each product", 0)),
    ("-nkvo --no-kv-offload", _no("the KV cache is where the layers run", 0)),
    ("-kvu --kv-unified", _always("all sequences share one pool of pages")),
    ("--list-devices", _no("pyhexagon info shows the devices", 0)),
    ("-i --interactive -if --interactive-first", _no("pyhexagon chat MODEL talks with a model", 0)),
    ("-hf -hfr --hf-repo -hff --hf-file -hft --hf-token -mu --model-url -dr --docker-repo", _PULL),
    ("--mirostat --mirostat-lr --mirostat-ent --samplers --sampling-seq --sampler-seq", _SAMPLERS),
    ("--dynatemp-range --dynatemp-exp --adaptive-target --adaptive-decay -l --logit-bias", _SAMPLERS),
    ("--typical-p", _same("--typical")),
    ("--top-n-sigma", _same("--top-nsigma")),
    ("--ignore-eos", _no("the model decides where it stops; -n limits it", 0)),
    ("-e --escape --no-escape", _no("a prompt is taken as it is; your shell's $'...' has escapes", 0)),
    ("--rope-scaling --rope-scale --rope-freq-base --rope-freq-scale --yarn-orig-ctx --yarn-ext-factor", _ROPE),
    ("--chat-template --chat-template-file --chat-template-kwargs", _TEMPLATE),
    ("--reasoning-format --reasoning-budget", _THINKING),
    ("--mmproj --image", _IMAGES),
    ("--audio", _no("models that hear are not supported", 1)),
    ("--draft --draft-max --draft-min --draft-p-min --spec-type", _LOOKUP),
    ("--api-key", _no("other users could read it: --api-key-file FILE takes keys", 1)),
    ("--embedding --embeddings --metrics --slots --props", _always("the server always has it")),
    ("--pooling", _no("the model's file says how vectors are pooled", 1)),
    ("-v --verbose --log-verbose", _no("PYHEXAGON_VERBOSE=1 prints every op", 0)),
    ("--check-tensors", _no("pyhexagon selftest tests the device; files are checked when they are loaded", 0)),
)  # fmt: skip
FLAGS: Final = MappingProxyType({name: flag for names, flag in _GROUPS for name in names.split()})


class FlagError(Exception):
    """A flag of llama.cpp cannot be taken; the message says why."""


def translate(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> list[str]:
    """Return the arguments with our options in place of llama.cpp's flags; notes on ignored ones go to stderr.

    Raises:
        FlagError: the command cannot do what a flag asks for.
    """
    ours = parser._option_string_actions
    positionals = [action.dest for action in parser._actions if not action.option_strings]
    has_model = "model" in positionals
    kept: list[str] = []
    first: list[str] = []  # the model, before all others
    notes: list[str] = []
    at = 0
    while has_model and at < len(arguments):
        word, at = arguments[at], at + 1
        name, has_value, value = word.partition("=")
        if word == "--":
            at -= 1
            break
        if name in ours or name not in FLAGS:
            kept.append(word)
            if word in ours and ours[word].nargs is None and at < len(arguments):
                kept.append(arguments[at])
                at += 1
            continue
        flag = FLAGS[name]
        values = [value] if has_value else []
        if not has_value and (flag.values == 1 or (flag.values == -1 and set(arguments[at : at + 1]) & _SWITCH)):
            values, at = list(arguments[at : at + 1]), at + 1
        if flag.values == 1 and not values:
            raise FlagError(f"llama.cpp's {name} takes a value")
        if flag.ours == MODEL:
            (first if positionals[0] == "model" else kept).extend(values)
        elif flag.ours in ours:
            kept += [] if _repeats(flag.ours, values, kept, name) else [flag.ours, *values]
        elif flag.ours and not flag.reason:
            raise FlagError(f"llama.cpp's {name}: this command has no {flag.ours}")
        elif flag.is_refused or _contradicts(name, values):
            raise FlagError(f"llama.cpp's {name}: {flag.reason}")
        else:
            notes.append(f"pyhexagon: {' '.join([name, *values])} is ignored: {flag.reason}")
    if notes and not any(
        argument == "--on" or argument.startswith("--on=") for argument in arguments
    ):  # the board prints them
        print(*notes, sep="\n", file=sys.stderr)
    return [*first, *kept, *arguments[at:]]


def _repeats(option: str, values: Sequence[str], kept: Sequence[str], name: str) -> bool:
    """Return whether the type of the cache was given for the keys already, and the values have the same."""
    if option != "--kv" or option not in kept:
        return False
    if kept[kept.index(option) + 1 :][:1] != values:
        raise FlagError(f"llama.cpp's {name}: keys and values have one type, which --kv gives")
    return True


def _contradicts(name: str, values: Sequence[str]) -> bool:
    """Return whether a flag that is ignored asks for the opposite of what is always done."""
    if name in ("-ngl", "--gpu-layers", "--n-gpu-layers"):
        return values[0] == "0"
    return FLAGS[name] is _ATTENTION and bool(set(values) & {"off", "0", "false"})


def refusal(parser: argparse.ArgumentParser, unknown: Sequence[str]) -> str:
    """Return the message on unknown arguments, with options of similar names."""
    ours = parser._option_string_actions
    near = {}
    for word in unknown:
        name = word.partition("=")[0]
        if name.startswith("-"):
            known = [*ours, *(flag for flag in FLAGS if FLAGS[flag].ours in ours)]
            longer = [option for option in known if name.startswith("--") and option.startswith(name)]
            near.update(dict.fromkeys(longer[:2] or difflib.get_close_matches(name, known, 2)))
    shown = [word.partition("=")[0] if word.startswith("-") else word for word in unknown]  # a value may be a key
    message = f"unrecognized arguments: {' '.join(shown)}"
    if near:
        return f"{message}: did you mean {' or '.join(near)}?"
    has_prompt = any(action.dest == "text" for action in parser._actions)
    is_prose = has_prompt and not any(word.startswith("-") for word in unknown)
    return f"{message}: a prompt of several words stands in quotes" if is_prose else message


def glued(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> str:
    """Return an argument that argparse would take apart, such as -nofoo as -n with the value "ofoo"; or nothing."""
    ours = parser._option_string_actions
    for at, word in enumerate(arguments):
        if word == "--":
            return ""
        before = ours.get(arguments[at - 1]) if at else None
        action = ours.get(word[:2])
        is_number = action is not None and action.nargs is None and action.type in (int, float)
        if _WORD.fullmatch(word) and word not in ours and is_number and (before is None or before.nargs == 0):
            return word
    return ""
