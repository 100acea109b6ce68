# SPDX-License-Identifier: MIT
"""The checkout that scripts/test-bare gives the bare systems, and the compiler's cache that they share.

zig 0.17 takes an object from its cache if the source has the same path, inode and time as when it was compiled; of
headers, only the content counts. So the systems see one clone, by links and at the path of this checkout, and unchanged
sources in it are links to this checkout's. What this machine or one of the systems has compiled is compiled once.
"""

from __future__ import annotations

import fcntl
import os
import shlex
import shutil
import stat
import subprocess
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pyhexagon/bare"
ID = 1000  # of the user there


class BareError(Exception):
    """A bare system cannot be created or entered; the message says why."""


def run(*command: str | Path) -> str:
    """Return a command's output; raise BareError if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BareError(f"{shlex.join(map(str, command))}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def put_checkout(folder: Path, kept: Path) -> None:
    """Put a checkout of HEAD below a system's folder, at the path of this one.

    Args:
        kept: the caches of the user there; what this machine has compiled is added with a new clone.
    """
    checkout = folder / ROOT.relative_to("/")
    shutil.rmtree(checkout, ignore_errors=True)
    checkout.parent.mkdir(parents=True, exist_ok=True)
    run("cp", "--archive", "--link", _clone(kept), checkout)
    for path in checkout.parents[: checkout.parents.index(folder)]:
        path.chmod(0o755)


def _clone(kept: Path) -> Path:
    """Return a clone of HEAD, which is made once for all systems."""
    clone = CACHE / "clones" / _git("rev-parse", "HEAD").strip()
    with (CACHE / "clones.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if clone.is_dir():
            return clone
        shutil.rmtree(clone.parent, ignore_errors=True)
        clone.parent.mkdir()
        work = clone.with_suffix(".part")
        _git("clone", "--quiet", "--no-hardlinks", ROOT, work)
        run("chown", "-R", f"{ID}:{ID}", work)
        changed = _git("diff", "--name-only", "HEAD").splitlines()
        for name in _git("ls-files", "*.c", "*.S").splitlines():
            if name not in changed:
                _link(ROOT / name, work / name)
        _copy_compiled(kept / "zig")
        work.rename(clone)
    return clone


def _copy_compiled(kept: Path) -> None:
    """Copy what this machine has compiled into another cache of the compiler, which nobody uses now."""
    own = Path(os.environ.get("ZIG_GLOBAL_CACHE_DIR") or CACHE.parents[1] / "zig")
    kept.mkdir(exist_ok=True)
    for part in ("h", "o"):  # manifests first: the objects that they name are older
        if (own / part).is_dir():
            run("cp", "--recursive", own / part, kept)
    run("chown", "-R", f"{ID}:{ID}", kept)


def _git(*arguments: str | Path) -> str:
    return run("git", "-c", "safe.directory=*", "-C", ROOT, *arguments)


def _link(source: Path, target: Path) -> None:
    """Make a file a link to another one, unless that is on another file system or not for everyone to read."""
    if source.stat().st_mode & stat.S_IROTH:
        new = target.with_suffix(".link")
        with suppress(OSError):
            new.hardlink_to(source)
            new.replace(target)
