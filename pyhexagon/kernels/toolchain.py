# SPDX-License-Identifier: MIT
"""Compile a kernel with clang and lld of the ziglang wheel, with the options and the ELF layout of the skel.

Targets are "v68", which every later DSP runs, too, and machines with a level of CPU kernels, such as "x86_64-avx2".
"""

from __future__ import annotations

import importlib.util
import platform
import re
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from pyhexagon import extras
from pyhexagon.errors import KernelError
from pyhexagon.kernels import elf, lines, postlink
from pyhexagon.process.locate import installed

HEXAGON: Final = "v68"
COMMON: Final = [
    "-std=gnu11", "-O2", "-fPIC", "-fvisibility=hidden", "-ffunction-sections", "-fdata-sections",
    "-fno-strict-aliasing", "-fwrapv", "-ffp-contract=off", "-fno-stack-protector", "-fno-unwind-tables",
    "-fno-asynchronous-unwind-tables", "-gline-tables-only", "-Wall", "-Wextra", "-Wno-psabi",
    "-Wno-initializer-overrides", "-Wno-option-ignored", "-Wno-unused-command-line-argument",
]  # fmt: skip
# hvc-va loads two aligned vectors for an unaligned one, in more packets than vmemu takes.
_OF_HEXAGON: Final = (
    "-target hexagon-freestanding-none -mcpu=hexagonv68+hvxv68+hvx_length128b -D__HVX__=1 -D__HVX_LENGTH__=128 "
    "-ffreestanding -nostdlibinc -mllvm -hexagon-autohvx -mllvm -hvc-va=false -fvectorize "
    f"-Wframe-larger-than={elf.STACK_MOST} -Werror=frame-larger-than"
).split()
_OF_LEVELS: Final = {
    "x86_64-ref": ["-mavx2"],
    "x86_64-avx2": ["-mavx2"],
    "x86_64-avx512_vnni": [
        "-mavx2", "-mavx512f", "-mavx512bw", "-mavx512vl", "-mavx512dq", "-mavx512vnni",
        "-mprefer-vector-width=512",
    ],
    "aarch64-ref": ["-mcpu=generic+v8_2a+dotprod"],
    "aarch64-neon": ["-mcpu=generic+v8_2a+dotprod"],
}  # fmt: skip
_LINK_HEXAGON: Final = [
    "-m", "hexagonelf", "-shared", "-Bsymbolic", "-z", "nodelete", "-z", "max-page-size=4096",
    "--hash-style=sysv", "-z", "norelro", "--no-rosegment", "--no-eh-frame-hdr", "--build-id=none", "-z",
    "separate-loadable-segments", "-z", "nognustack", "--gc-sections",
]  # fmt: skip
_LINK_CPU: Final = ["-shared", "-Bsymbolic", "--hash-style=both", "--build-id=none", "--gc-sections"]
# The board's loader replaces these names, which its shell does not export.
_REPLACED: Final = frozenset({"malloc", "calloc", "realloc", "free", "memalign"})
# Where macros of the header lead to a mistake of the user, with the lines that the compiler shows of them.
_OF_HEADER: Final = re.compile(
    r"^\S*/pyhexagon_kernel\.h:\d+:\d+: note: expanded from .*\n(?: *\d* \|.*\n)*", re.MULTILINE
)
_MOST_OUTPUT: Final = 4000  # characters of compiler messages in an error


class Compiled(NamedTuple):
    """A compiled kernel.

    Attributes:
        image: the bytes of the shared object.
        lines: the lines of the source by address.
    """

    image: bytes
    lines: lines.Table


def this_cpu(level: str) -> str:
    """Return the target of a level of CPU kernels on this machine."""
    return f"{platform.machine()}-{level}"


@cache
def zig() -> str:
    """Return the path of zig.

    Raises:
        UnsupportedError: it is not installed; the hint has the command.
    """
    found = importlib.util.find_spec("ziglang")
    if found is None or found.origin is None:
        raise extras.missing("kernels from C source", "ziglang", "kernels")
    return str(Path(found.origin).with_name("zig"))


def options_of(target: str) -> list[str]:
    """Return the compiler's options for a target.

    Raises:
        KernelError: there is no such target.
    """
    if target == HEXAGON:
        return [*COMMON, *_OF_HEXAGON]
    if target not in _OF_LEVELS:
        raise KernelError(f"kernels are not compiled for {target}: expected {HEXAGON}, {', '.join(_OF_LEVELS)}")
    return [*COMMON, *_OF_LEVELS[target], f"--target={target.partition('-')[0]}-linux-gnu.2.17"]


def link_options(target: str) -> list[str]:
    """Return the linker's options for a target."""
    return _LINK_HEXAGON if target == HEXAGON else _LINK_CPU


def folders_of(target: str) -> list[Path]:
    """Return the folders of the headers that kernels may include, beside the compiler's own."""
    include = installed("include")
    return [include] if target == HEXAGON else [include, include / "cpu/kernels", include / "cpu"]


def compile_c(source: str, name: str, target: str, options: Sequence[str]) -> Compiled:
    """Compile and link C source.

    Args:
        name: of the source, for the compiler's messages.
        options: of the user, for the compiler.

    Raises:
        KernelError: it does not compile, needs a name that the DSP lacks, or has an invalid descriptor.
    """
    with tempfile.TemporaryDirectory(prefix="pyhexagon-kernel-") as folder:
        unit, object_file, out = (Path(folder) / f"kernel{end}" for end in (".c", ".o", ".so"))
        unit.write_text(_numbered(source, name), encoding="utf-8")
        _run([*command(target, options), "-c", str(unit), "-o", str(object_file)])
        _run([zig(), "ld.lld", *link_options(target), "-soname", "kernel.so", "-o", str(out), str(object_file)])
        linked = bytearray(out.read_bytes())
    if target == HEXAGON:
        try:
            postlink.edit(linked)
        except ValueError as error:
            raise KernelError(f"{name}: {error}") from None
    table = lines.read(bytes(linked))
    image = lines.stripped(linked)
    _, imports = elf.read(image, target)
    if missing := sorted(imports - exports()):
        raise KernelError(
            f"{name} needs {', '.join(missing)}: the DSP has no such function",
            hint="docs/own-kernels.md says which C functions kernels may call",
        )
    return Compiled(image, table)


def assembly(source: str, name: str, target: str, options: Sequence[str]) -> str:
    """Return the assembly of a source that compiles, with ``.loc`` directives for its lines."""
    with tempfile.TemporaryDirectory(prefix="pyhexagon-kernel-") as folder:
        unit, out = Path(folder) / "kernel.c", Path(folder) / "kernel.s"
        unit.write_text(_numbered(source, name), encoding="utf-8")
        _run([*command(target, options), "-S", str(unit), "-o", str(out)])
        return out.read_text(encoding="utf-8")


def command(target: str, options: Sequence[str]) -> list[str]:
    """Return the compiler's command line without files."""
    return [zig(), "cc", *options_of(target), *(f"-I{folder}" for folder in folders_of(target)), *options]


@cache
def exports() -> frozenset[str]:
    """Return the names that kernels may import."""
    return frozenset(installed("include/q6a-shell-exports.txt").read_text(encoding="ascii").split()) | _REPLACED


def _numbered(source: str, name: str) -> str:
    quoted = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'#line 1 "{quoted}"\n{source}\n'


def _run(arguments: Sequence[str]) -> None:
    done = subprocess.run(arguments, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode:
        text = _OF_HEADER.sub("", done.stderr)
        text = re.sub(r"^(warning|note): .*unused.*\n", "", text, flags=re.MULTILINE).strip()
        more = " ..." if len(text) > _MOST_OUTPUT else ""
        raise KernelError(f"the kernel does not compile:\n{text[:_MOST_OUTPUT]}{more}")
