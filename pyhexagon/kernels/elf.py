# SPDX-License-Identifier: MIT
"""Read a compiled kernel: its descriptor, and the names that it imports. Damaged files raise KernelError."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final, NamedTuple

from pyhexagon._ffi import contract
from pyhexagon.errors import KernelError

ABI: Final = 1  # PHX_KERNEL_ABI
WHOLE, LOADS = 1, 2
STACK_MOST: Final = 24576
_EM: Final = {"v68": 164, "x86_64": 62, "aarch64": 183}
_LOAD, _DYNAMIC = 1, 2
_HASH, _STRTAB, _SYMTAB, _STRSZ = 4, 5, 6, 10
_MAX_SYMBOLS: Final = 10_000


class Descriptor(NamedTuple):
    """``struct phx_kernel`` without its function."""

    abi: int
    size: int
    n_src: int
    n_dst: int
    n_params: int
    flags: int
    in_place: int
    slack: int
    work_bytes: int
    vtcm_bytes: int
    stack_bytes: int
    row_cost: int


class _Image:
    """The loaded parts of a shared object, and its dynamic section."""

    def __init__(self, data: bytes) -> None:
        if data[:4] != b"\x7fELF" or data[4] not in (1, 2) or data[5] != 1:
            raise KernelError("this is no compiled kernel: not a little-endian ELF file")
        self.data = data
        self.is_64 = data[4] == 2
        (self.machine,) = struct.unpack_from("<H", data, 18)
        table, n = (
            (struct.unpack_from("<Q", data, 32)[0], struct.unpack_from("<H", data, 56)[0])
            if self.is_64
            else (struct.unpack_from("<I", data, 28)[0], struct.unpack_from("<H", data, 44)[0])
        )
        self.loads: list[tuple[int, int, int]] = []
        self.tags: dict[int, int] = {}
        step = 56 if self.is_64 else 32
        for header in range(table, table + step * n, step):
            if self.is_64:
                kind, _, offset, address, _, size = struct.unpack_from("<IIQQQQ", data, header)
            else:
                kind, offset, address, _, size = struct.unpack_from("<5I", data, header)
            if kind == _LOAD:
                self.loads.append((address, size, offset))
            elif kind == _DYNAMIC:
                each = struct.Struct("<QQ" if self.is_64 else "<II")
                self.tags = dict(each.unpack_from(data, at) for at in range(offset, offset + size, each.size))

    def offset(self, address: int) -> int:
        """Return the file offset of an address."""
        for first, size, offset in self.loads:
            if first <= address < first + size:
                return offset + address - first
        raise KernelError("this is no compiled kernel: an address lies in no segment")

    def symbols(self) -> Iterator[tuple[str, int, int]]:
        """Yield the name, section and value of each dynamic symbol."""
        table, strings = self.offset(self.tags[_SYMTAB]), self.offset(self.tags[_STRTAB])
        (n,) = struct.unpack_from("<4xI", self.data, self.offset(self.tags[_HASH]))
        if n > _MAX_SYMBOLS:
            raise KernelError("this is no compiled kernel: its symbol table is damaged")
        for i in range(1, n):
            if self.is_64:
                name, _, _, section, value, _ = struct.unpack_from("<IBBHQQ", self.data, table + 24 * i)
            else:
                name, value, _, _, _, section = struct.unpack_from("<3I2BH", self.data, table + 16 * i)
            end = self.data.index(b"\0", strings + name)
            yield self.data[strings + name : end].decode("ascii"), section, value


def _opened(data: bytes) -> _Image:
    try:
        return _Image(data)
    except (struct.error, IndexError):
        raise KernelError("this is no compiled kernel: the file is cut short") from None


def read(data: bytes, target: str) -> tuple[Descriptor, set[str]]:
    """Return a kernel's descriptor and the names that it imports.

    Args:
        target: "v68", or a machine and its level such as "x86_64-avx2".

    Raises:
        KernelError: it is damaged, of another machine, has another version of the header, or an invalid descriptor.
    """
    image = _opened(data)
    if image.machine != _EM.get(target.partition("-")[0]):
        raise KernelError(f"a kernel for another machine than {target}: ELF machine {image.machine}")
    imports: set[str] = set()
    address = None
    try:
        for name, section, value in image.symbols():
            if not section:
                imports.add(name)
            elif name == "phx_kernel":
                address = value
        if address is None:
            raise KernelError("the source defines no PHX_KERNEL")
        layout = struct.Struct("<2I8x10I" if image.is_64 else "<2I4x10I")
        descriptor = Descriptor(*layout.unpack_from(data, image.offset(address)))
    except (struct.error, ValueError, KeyError):
        raise KernelError("this is no compiled kernel: its tables are damaged") from None
    _check(descriptor, layout.size)
    return descriptor, imports


def _check(header: Descriptor, least_size: int) -> None:
    if header.abi != ABI or header.size < least_size:
        raise KernelError(
            f"the kernel has version {header.abi} of pyhexagon_kernel.h, this package version {ABI}",
            hint="compile it again",
        )
    limits = (
        ("sources", header.n_src, 1, contract.MAX_SRC),
        ("results", header.n_dst, 1, contract.MAX_DST),
        ("words of parameters", header.n_params, 0, contract.MAX_PARAMS - 1),
        ("bytes of slack", header.slack, 0, 4096),
        ("bytes of work memory", header.work_bytes, 0, 1 << 20),
        ("bytes of VTCM", header.vtcm_bytes, 0, 1 << 20),
        ("bytes of stack", header.stack_bytes, 0, STACK_MOST),
    )
    for what, n, least, most in limits:
        if not least <= n <= most:
            raise KernelError(f"the kernel has {n} {what}: expected {least} to {most}")
    if header.flags not in (0, WHOLE, LOADS):
        raise KernelError(f"the kernel has the flags {header.flags}: expected 0, PHX_KERNEL_WHOLE or PHX_KERNEL_LOADS")
    if header.in_place >> header.n_src:
        raise KernelError(f"in_place is {header.in_place:#x}: the kernel has {header.n_src} sources")
