# SPDX-License-Identifier: MIT
"""The files of a hub's repository: which of them make a model, and downloads to the cache of the hub's package."""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Sequence
from typing import Final

from pyhexagon import extras
from pyhexagon.errors import ArgumentError, HexagonError

_PART: Final = re.compile(r"(.*)-\d{5}(-of-(\d{5})\.gguf)")
_QUANT: Final = re.compile(
    r"[-._]((?:UD-)?(?:[IT]?Q\d(?:_\w+)?|BF16|FP?16|FP?32|MXFP4(?:_MOE)?|NVFP4))(?:-\d{5}-of-\d{5})?\.gguf$",
    re.IGNORECASE,
)
MMPROJ: Final = "mmproj"  # in the name of an image encoder's file
_BESIDE: Final = (MMPROJ, "imatrix")  # files that lie beside models
_DRAFT: Final = re.compile(r"(?:^|[-._/])(?:mtp|eagle\d?|dflash|drafts?|assistant)[-._/]", re.IGNORECASE)
_FLOAT_NAME: Final = re.compile(r"^fp(?=16|32)", re.IGNORECASE)  # of F16 and F32
_PREFERRED: Final = ("Q4_K_M", "UD-Q4_K_XL", "UD-Q4_K_M", "Q4_0", "Q8_0", "MXFP4", "MXFP4_MOE", "NVFP4")
_FLOATS: Final = ("F16", "BF16", "F32")
_MMPROJ_PREFERRED: Final = ("Q8_0", *_FLOATS)
_WHISPER: Final = re.compile(r"ggml-.+\.bin")
_BITS: Final = re.compile(r"\d+")
_DYNAMIC: Final = "UD-"  # Unsloth's dynamic quantisations, of several types


def download(repo: str, filename: str, *, revision: str | None = None) -> str:
    """Download a model, and return the path of its file, or of the first part of a split model.

    Args:
        repo: such as "Qwen/Qwen3-0.6B-GGUF".
        filename: a file of the repository, or a pattern such as "*Q4_0.gguf" that matches one model.
        revision: a branch, a tag or a commit.

    Raises:
        UnsupportedError: the packages of ``pyhexagon[llm]`` are missing.
        ArgumentError: no file matches, or files of several models do.
        HexagonError: the download failed; the message has the hub's reason.
    """
    with extras.needed("models from a hub", "llm"):
        import huggingface_hub
    try:
        names = [filename]
        if any(letter in filename for letter in "*?[") or _parts(filename):
            names = _chosen(repo, filename, huggingface_hub.list_repo_files(repo, revision=revision))
        paths = [huggingface_hub.hf_hub_download(repo, name, revision=revision) for name in names]
    except HexagonError:
        raise
    except Exception as error:  # huggingface_hub raises its own errors and its HTTP client's
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise HexagonError(f"{filename} of {repo} cannot be had: {reason}") from None
    return str(paths[0])


def _chosen(repo: str, pattern: str, names: list[str]) -> list[str]:
    """Return the files of the one model that matches, its parts in order."""
    matching = sorted(name for name in names if name == pattern or fnmatch.fnmatch(name, pattern))
    models = {_parts(name) or name: name for name in reversed(matching)}
    if len(models) != 1:
        found = ", ".join(sorted(models.values())[:10]) if models else "none"
        raise ArgumentError(f"{pattern!r} of {repo}: expected the file of one model, found {found}")
    (model,) = models
    return sorted(name for name in names if name == model or _parts(name) == model)


def choose(repo: str, names: Sequence[str], selector: str = "") -> list[str]:
    """Return the files of one model of a repository: a GGUF file, the parts of a split model in order, or a file of
    whisper.cpp.

    Args:
        repo: its name, for errors.
        names: all files of the repository.
        selector: a quantisation such as "Q4_0", or the name of a file, both of any case; empty: the only model, or
            the first of Q4_K_M, UD-Q4_K_XL, UD-Q4_K_M, Q4_0, Q8_0, MXFP4, MXFP4_MOE, NVFP4 that exists. Draft models
            (mtp-, eagle3-, dflash-) beside a model, and files of whisper.cpp, are meant by their file names only.

    Raises:
        ArgumentError: no model or several are meant, with the list; or parts of a split model are missing.
    """
    if selector in names and _WHISPER.fullmatch(os.path.basename(selector)):
        return [selector]
    ggufs = [name for name in names if name.endswith(".gguf") and not any(word in name.lower() for word in _BESIDE)]
    if not any(selector.lower() in (name.lower(), os.path.basename(name).lower()) for name in ggufs):
        ggufs = [name for name in ggufs if not _DRAFT.search(name)] or ggufs
    models: dict[str, list[str]] = {}
    for name in sorted(ggufs):
        models.setdefault(_parts(name) or name, []).append(name)
    found = list(models.values()) if len(models) == 1 and not selector else []
    for wanted in (selector, _DYNAMIC + selector) if selector else _PREFERRED:
        found = found or [parts for parts in models.values() if _is_meant(parts[0], wanted)]
    if len(found) != 1:
        shown = [parts[0] for parts in found] or sorted({quantisation(name) or name for name in ggufs})
        has = f"has several {selector or 'models'}" if found else f"has no {selector or _PREFERRED[0]}"
        hint = f"pyhexagon pull hf:{repo}:{min(shown, key=_distance)}" if shown else ""
        raise ArgumentError(f"{repo} {has}: it has {', '.join(shown) or 'no GGUF file of a model'}", hint=hint)
    (parts,) = found
    is_part = _PART.fullmatch(parts[0])
    if is_part and len(parts) != int(is_part[3]):
        raise ArgumentError(f"{repo} has {len(parts)} of the {int(is_part[3])} parts of {parts[0]}")
    return parts


def choose_mmproj(repo: str, names: Sequence[str], model: str, selector: str = "") -> str:
    """Return the mmproj file of a model of a repository; empty if it has none.

    Of several, those in the nearest folder count: the model's own, or one around it.

    Args:
        repo: its name, for errors.
        names: all files of the repository.
        model: the model's file, or its first part.
        selector: a quantisation such as "F16", or the name of a file, both of any case; empty: the model's own
            quantisation if that is a float type, or else the first of Q8_0, F16, BF16, F32 that exists. Q8_0 takes half
            of F16's memory and half of its time on the DSP; its error is far below that of a quantized model.

    Raises:
        ArgumentError: the selector means no file, or several files are meant.
    """
    folder = os.path.dirname(model)
    found = [
        name for name in names
        if name.endswith(".gguf") and MMPROJ in os.path.basename(name).lower()
        and os.path.commonpath([folder, os.path.dirname(name)]) == os.path.dirname(name)
    ]  # fmt: skip
    deepest = max((name.count("/") for name in found), default=0)
    found = sorted(name for name in found if name.count("/") == deepest)
    own = quantisation(model)
    wanted = (selector,) if selector else (own, *_MMPROJ_PREFERRED) if own in _FLOATS else _MMPROJ_PREFERRED
    meant = found if len(found) == 1 and not selector else []
    for one in wanted:
        meant = meant or [name for name in found if _is_meant(name, one)]
    if len(meant) == 1 or not (found or selector):
        return "".join(meant)
    what = f"no mmproj file {selector}" if selector and not meant else "several mmproj files"
    hint = f"--mmproj {os.path.basename((meant or found)[0])}, or --no-mmproj" if found else "--no-mmproj"
    raise ArgumentError(f"{repo} has {what}: it has {', '.join(meant or found) or 'none'}", hint=hint)


def quantisation(name: str) -> str:
    """Return the quantisation that a file's name ends with, in upper case; empty if there is none."""
    found = _QUANT.search(re.sub(r"[-._]mmproj(?=\.gguf$)", "", name, flags=re.IGNORECASE))
    return _FLOAT_NAME.sub("F", found[1].upper()) if found else ""


def _distance(shown: str) -> tuple[int, int]:
    """Return how far a quantisation is from the preferred ones: by their order, then by its bits."""
    wanted = quantisation(shown) or shown
    at = _PREFERRED.index(wanted) if wanted in _PREFERRED else len(_PREFERRED)
    bits = _BITS.search(wanted)
    return at, abs(int(bits[0]) - 4) if bits else 99


def _is_meant(name: str, wanted: str) -> bool:
    names = (name.lower(), os.path.basename(name).lower())
    return wanted.lower() in names or _FLOAT_NAME.sub("F", wanted.upper()) == (quantisation(name) or None)


def _parts(name: str) -> str:
    """Return the common name of the parts of a split model; empty for other files."""
    found = _PART.fullmatch(name)
    return found[1] + found[2] if found else ""
