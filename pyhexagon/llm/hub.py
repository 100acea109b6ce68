# SPDX-License-Identifier: MIT
"""Download models from the Hugging Face hub with its package, which caches them."""

from __future__ import annotations

import fnmatch
import re

from pyhexagon import extras
from pyhexagon.errors import ArgumentError, HexagonError


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
        if any(one in filename for one in "*?[") or _parts(filename):
            names = _chosen(repo, filename, huggingface_hub.list_repo_files(repo, revision=revision))
        paths = [huggingface_hub.hf_hub_download(repo, name, revision=revision) for name in names]
    except HexagonError:
        raise
    except Exception as error:  # the hub's package raises its own errors and those of its HTTP client
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


def _parts(name: str) -> str:
    """Return the common name of the parts of a split model; empty for other files."""
    found = re.fullmatch(r"(.*)-\d{5}(-of-\d{5}\.gguf)", name)
    return found[1] + found[2] if found else ""
