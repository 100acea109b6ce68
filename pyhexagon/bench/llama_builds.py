# SPDX-License-Identifier: MIT
"""Find llama.cpp on this machine, and choose the build that uses most of this CPU.

llama.cpp's CPU backend comes compiled for one kind of CPU, or as one library per kind (``libggml-cpu-zen4.so``). The
places, in the order of preference among builds for the same CPU features:

- a folder or a ``llama-bench`` that the user names,
- ``llama-bench`` in PATH, which is taken for compiled on this machine, with the libraries beside it if there are some,
- npm's package ``@node-llama-cpp/linux-x64`` (``linux-arm64``), in a ``node_modules`` folder,
- the Python package xllamacpp, one library, compiled for AVX2.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import re
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Final

from pyhexagon.errors import ArgumentError, UnsupportedError
from pyhexagon.process import locate

INSTALL: Final = "`npm install @node-llama-cpp/{npm}` (one build per kind of CPU) or `pip install xllamacpp` (AVX2)"

_CPUINFO: Final = Path("/proc/cpuinfo")
_AVX2: Final = ("sse4_2", "avx", "f16c", "fma", "avx2", "bmi2")
_AVX512: Final = (*_AVX2, "avx512f", "avx512cd", "avx512vl", "avx512dq", "avx512bw")
# What each of llama.cpp's CPU libraries needs, as /proc/cpuinfo names it: its ggml/src/CMakeLists.txt.
_VARIANTS: Final[dict[str, tuple[str, ...]]] = {
    "x64": (),
    "sse42": _AVX2[:1],
    "sandybridge": _AVX2[:2],
    "ivybridge": _AVX2[:3],
    "piledriver": _AVX2[:4],
    "haswell": _AVX2,
    "skylakex": _AVX512,
    "cannonlake": (*_AVX512, "avx512vbmi"),
    "cascadelake": (*_AVX512, "avx512_vnni"),
    "cooperlake": (*_AVX512, "avx512_vnni", "avx512_bf16"),
    "icelake": (*_AVX512, "avx512vbmi", "avx512_vnni"),
    "zen4": (*_AVX512, "avx512vbmi", "avx512_vnni", "avx512_bf16"),
    "alderlake": (*_AVX2, "avx_vnni"),
    "sapphirerapids": (*_AVX512, "avx512vbmi", "avx512_vnni", "avx512_bf16", "amx_tile", "amx_int8"),
    "armv8.0_1": (),
    "armv8.2_1": ("asimddp",),
    "armv8.2_2": ("asimddp", "asimdhp"),
    "armv8.2_3": ("asimddp", "asimdhp", "sve"),
    "armv8.6_1": ("asimddp", "asimdhp", "sve", "i8mm"),
    "armv8.6_2": ("asimddp", "asimdhp", "sve", "i8mm", "sve2"),
    "armv9.2_1": ("asimddp", "asimdhp", "sve", "i8mm", "sme"),
    "armv9.2_2": ("asimddp", "asimdhp", "sve", "i8mm", "sve2", "sme"),
}
# Of two libraries that run here llama.cpp loads the one with the last of these features that the other lacks: the
# weights of its ggml-cpu/arch/*/cpu-feats.cpp.
_RISING: Final = (
    "fma", "f16c", "sse4_2", "bmi2", "avx", "avx2", "avx_vnni", "avx512f", "avx512vbmi", "avx512_bf16", "avx512_vnni",
    "amx_int8", "asimddp", "asimdhp", "sve", "i8mm", "sve2", "sme",
)  # fmt: skip
_NATIVE: Final = 1 << len(_RISING)  # rank of a build that was compiled on this machine


@dataclass(frozen=True)
class Build:
    """A llama.cpp that can be measured.

    Attributes:
        name: what a result calls it.
        library: that has ``llama_decode``, or None.
        cpu: the CPU backend's library, if the library loads it at run time.
        program: a ``llama-bench``, if there is no library.
    """

    name: str
    library: Path | None = None
    cpu: Path | None = None
    program: Path | None = None


_Ranked = tuple[int, Build]


def best(given: str | None = None) -> Build:
    """Return the build of llama.cpp that uses most of this CPU's features.

    Args:
        given: a folder with llama.cpp's libraries or a ``llama-bench``; nothing else is considered then.

    Raises:
        ArgumentError: the given path has no llama.cpp that this CPU runs.
        UnsupportedError: llama.cpp was not found; the hint has the command that installs it.
    """
    features = cpu_features(_CPUINFO.read_text(errors="replace"), _level())
    if given is not None:
        found = _at(Path(given).expanduser(), features)
        if found is None:
            raise ArgumentError(f"{given} is neither a llama-bench nor a folder with a libllama that this CPU runs")
        return found[1]
    candidates = [
        build for build in (_in_path(features), *_of_npm(features), _xllamacpp(features)) if build is not None
    ]
    if not candidates:
        raise UnsupportedError(
            f"llama.cpp was not found: there is no llama-bench in PATH, no {_npm_package()} in a node_modules folder, "
            "and no Python package xllamacpp",
            hint=f"install it with {INSTALL.format(npm=_npm_package().partition('/')[2])}",
        )
    return max(candidates, key=lambda build: build[0])[1]  # the first of equal ones


def _level() -> str:
    """Return the level that PYHEXAGON_CPU sets, or an empty string."""
    return locate.cpu_level() if "PYHEXAGON_CPU" in os.environ else ""


def cpu_features(cpuinfo: str, level: str) -> frozenset[str]:
    """Return the features that all cores have, without AVX-512 and VNNI if our kernels were told to use AVX2 alone.

    Args:
        cpuinfo: the text of /proc/cpuinfo.
        level: of our CPU kernels, if PYHEXAGON_CPU sets it.
    """
    cores = [frozenset(line.split()) for line in re.findall(r"^(?:flags|Features)\s*:(.*)$", cpuinfo, re.MULTILINE)]
    features = frozenset[str]().union(*cores[:1]).intersection(*cores)
    if level == "avx2":
        return frozenset(name for name in features if not name.startswith(("avx512", "avx_", "amx_")))
    return features


def chosen_variant(names: frozenset[str], features: frozenset[str]) -> str | None:
    """Return the CPU library that llama.cpp loads on a CPU.

    Args:
        names: of the libraries that are there, such as "zen4".
        features: of the CPU, as /proc/cpuinfo names them.
    """
    fitting = [name for name in names if features.issuperset(_VARIANTS.get(name, ("unknown",)))]
    return max(fitting, key=lambda name: _rank(_VARIANTS[name]), default=None)


def _rank(features: tuple[str, ...]) -> int:
    return sum(1 << at for at, name in enumerate(_RISING) if name in features)


def _at(path: Path, features: frozenset[str], name: str = "") -> _Ranked | None:
    """Return what a folder, or a program and its neighbors, hold.

    Args:
        name: of the build; by default that of its folder.
    """
    if path.is_file():
        program = path.resolve()
        for folder in (program.parent, program.parent.parent / "lib"):
            if next(folder.glob("libllama.*"), None) and (found := _at(folder, features)):
                return found
        return (_NATIVE, Build(str(path), program=program)) if shutil.which(path) else None
    library = min((file for file in path.rglob("libllama.*") if ".so" in file.name and file.exists()), default=None)
    if library is None:
        program = path / "llama-bench"
        return _at(program, features) if program.is_file() else None
    name = name or str(library.parent)
    variants = {file.name[len("libggml-cpu-") : -len(".so")]: file for file in library.parent.glob("libggml-cpu-*.so")}
    if not variants:
        return _NATIVE, Build(name, library)
    variant = chosen_variant(frozenset(variants), features)
    if variant is None:
        return None
    return _rank(_VARIANTS[variant]), Build(f"{name}, {variants[variant].name}", library, variants[variant])


def _in_path(features: frozenset[str]) -> _Ranked | None:
    program = shutil.which("llama-bench")
    return _at(Path(program), features) if program else None


def _npm_package() -> str:
    return f"@node-llama-cpp/linux-{'arm64' if platform.machine() == 'aarch64' else 'x64'}"


def _of_npm(features: frozenset[str]) -> Iterator[_Ranked]:
    """Yield the npm package of each ``node_modules`` folder: of this folder, those above it, and Node.js's own."""
    here, package = Path.cwd(), _npm_package()
    prefixes = [here, *here.parents]
    node = shutil.which("node")
    prefixes += [Path(node).resolve().parents[1] / "lib"] if node else []
    for prefix in (*prefixes, Path("/usr/local/lib")):
        folder = prefix / "node_modules" / package
        if folder.is_dir():
            version = ""
            with suppress(OSError):
                found = re.search(r'"version":\s*"([^"]+)"', (folder / "package.json").read_text(encoding="utf-8"))
                version = f" {found[1]}" if found else ""
            if ranked := _at(folder, features, f"{package}{version}"):
                yield ranked


def _xllamacpp(features: frozenset[str]) -> _Ranked | None:
    found = importlib.util.find_spec("xllamacpp")
    if found is None or found.origin is None:
        return None
    library = min(Path(found.origin).parent.glob("xllamacpp*.so"), default=None)
    if library is None:
        return None
    version = ""
    with suppress(metadata.PackageNotFoundError):
        version = f" {metadata.version('xllamacpp')}"
    features_used = _AVX2 if features.issuperset(_AVX2) else ()
    return _rank(features_used), Build(f"xllamacpp{version}", library)
