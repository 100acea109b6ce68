# SPDX-License-Identifier: MIT
"""``Device.kernel``: compile C source, or open a saved kernel, and load it into the sessions of a device."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy.typing as npt
from gguf import GGMLQuantizationType as Type

from pyhexagon.deployed import kernels_folder
from pyhexagon.errors import ArgumentError, HexagonError, KernelError
from pyhexagon.kernels import archive, cache, toolchain
from pyhexagon.kernels.elementwise import ElementwiseCode
from pyhexagon.kernels.kernel import Code, Kernel
from pyhexagon.kernels.signature import DTypes, Params, Results, Shapes, source_types
from pyhexagon.process.user_kernels import Image

if TYPE_CHECKING:
    from pyhexagon.device import Device

_NAME: Final = re.compile(r"^\s*PHX_KERNEL\(\s*(\w+)", re.MULTILINE)


def kernel(
    device: Device,
    source: str | os.PathLike[str],
    *,
    sources: DTypes | None = None,
    params: Mapping[str, npt.DTypeLike] | None = None,
    like: int = 0,
    shape: Shapes | None = None,
    dtype: DTypes | None = None,
    isolated: bool = True,
    options: Sequence[str] = (),
) -> Kernel:
    """Compile a kernel in C, or open a saved one, and load it; ``Device.kernel`` describes the arguments."""
    text, name = _read(source)
    rule = Results(like, shape, dtype)
    if name.endswith(archive.SUFFIX):
        return _opened(device, _saved(name), sources, params, rule, isolated=isolated)
    found = _NAME.search(text)
    if found is None:
        raise ArgumentError(f"{name} has no PHX_KERNEL(name, ...)")
    code = Code(text, name, tuple(options), {})
    types = source_types(sources, found[1])
    return make(device, found[1], code, Params(params or {}), rule, isolated=isolated, sources=types)


def elementwise(
    device: Device, arrays: str, result: str, body: str, *, name: str = "elementwise", isolated: bool = True
) -> Kernel:
    """Make a kernel from an expression; ``Device.elementwise`` describes the arguments."""
    if not name.isidentifier():
        raise ArgumentError(f"the name {name!r}: expected a name of C")
    one = ElementwiseCode(arrays, result, body)
    params = Params({param.name: param.dtype for param in one.params})
    code = Code(one.source(name), "<elementwise>", ("-w",), {})  # warnings are of the code around the expression
    return make(device, name, code, params, Results(), isolated=isolated, adapter=one)


def _opened(
    device: Device,
    path: Path,
    sources: DTypes | None,
    params: Mapping[str, npt.DTypeLike] | None,
    rule: Results,
    *,
    isolated: bool,
) -> Kernel:
    """Open a saved kernel; arguments that are given replace what the file declares."""
    declared, source, images = archive.read(path)
    try:
        shape = declared["shape"]
        results = Results(
            rule.like or int(declared["like"]),
            rule.shape if rule.shape is not None else tuples(shape),
            rule.dtype if rule.dtype is not None else declared["dtype"],
        )
        adapter = None if declared["elementwise"] is None else ElementwiseCode(*declared["elementwise"])
        code = Code(source, str(declared["file"]), tuple(map(str, declared["options"])), images)
        name = str(declared["name"])
        found = Params(params or declared["params"])
        types = source_types(declared.get("sources") if sources is None else sources, name)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise KernelError(f"{path} is damaged: its declarations are wrong: {error!r}") from None
    return make(device, name, code, found, results, isolated=isolated, sources=types, adapter=adapter)


def _saved(name: str) -> Path:
    """Return the path of a saved kernel. A name without a folder may be that of a deployed kernel."""
    path, folder = Path(name), kernels_folder()
    if folder is None or path.exists() or path.name != name:
        return path
    if not (folder / name).exists():
        raise ArgumentError(
            f"there is no {name}, neither here nor in {folder}",
            hint="pyhexagon deploy HOST --kernel FILE.phxk copies a saved kernel to a board",
        )
    return folder / name


def tuples(shape: Any) -> Any:
    """Return shapes that were lists of JSON."""
    return tuple(map(tuples, shape)) if isinstance(shape, list) else shape


def make(
    device: Device,
    name: str,
    code: Code,
    params: Params,
    results: Results,
    *,
    isolated: bool,
    sources: Sequence[Type] = (),
    adapter: ElementwiseCode | None = None,
) -> Kernel:
    """Compile a kernel for a device, unless it comes compiled, and load it."""
    target = device._kernel_target
    if target not in code.images:
        if not code.source:
            raise ArgumentError(f"{code.name} has no code for {target}: it has {', '.join(code.images)}")
        made = cache.compiled(code.source, code.name, target, code.options)
        code = code._replace(images={**code.images, target: made.image}, lines=made.lines)
    image = code.images[target]
    label = f"{name}-{hashlib.sha256(image).hexdigest()[:8]}"
    number = device._load_kernel(Image(label, image))
    try:
        return Kernel(
            device, number, code, params, results, name=name, target=target, label=label,
            isolated=isolated and target != toolchain.HEXAGON, sources=sources, adapter=adapter,
        )  # fmt: skip
    except HexagonError:
        device._unload_kernel(number)
        raise


def _read(source: str | os.PathLike[str]) -> tuple[str, str]:
    """Return C source and its name for messages; no source for a saved kernel."""
    if isinstance(source, str) and ("\n" in source or "PHX_KERNEL(" in source):
        return source, "<kernel>"
    path = os.fspath(source)
    if path.endswith(archive.SUFFIX):
        return "", path
    try:
        return Path(path).read_text(encoding="utf-8"), path
    except OSError as error:
        raise ArgumentError(f"cannot read {path}: {error.strerror or error}") from None
