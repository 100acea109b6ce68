# SPDX-License-Identifier: MIT
"""The requirements of the board's loader for a skel, as functions that return every violation.

The loader is that of the shell (fastrpc_shell_unsigned_3). It reads the program headers and the dynamic table only,
does six kinds of relocation, ignores every dynamic tag above 0x17, so .init_array too, and refuses three imports.
"""

from __future__ import annotations

import struct
from collections.abc import Set
from types import MappingProxyType
from typing import Final

from elf32 import (
    DT_HASH,
    DT_JMPREL,
    DT_PLTREL,
    DT_PLTRELSZ,
    DT_RELA,
    DT_RELAENT,
    DT_RELASZ,
    DT_SONAME,
    DT_STRTAB,
    DT_SYMBOLIC,
    DT_SYMENT,
    DT_SYMTAB,
    PF_R,
    PF_W,
    PF_X,
    PT_DYNAMIC,
    PT_LOAD,
    PT_NULL,
    SHF_ALLOC,
    SHF_EXECINSTR,
    Elf32,
)

from pyhexagon._ffi import contract

ENTRY: Final = "pyhexagon_skel_handle_invoke"
SONAME: Final = "libpyhexagon_skel.so"
# Runtime and products, and so much an op: kernels of four vectors a turn and a reference that is not used for speed.
# Attention has three passes, each unrolled for 1 to 4 heads of 64 and of 128 dims, the first one also for large logits.
# Products have loops of four tiles, of one, and of two, three and four rows for each type of weight: 190 KiB; threads
# that share tiles took 8 more, ops of whole rows that run together 4, products that are prepared once a program 4,
# appends of two sizes of F16 heads 4, loops of IQ4_XS, which had IQ4_NL's, 8, the allocator of the workspace 4, the
# probes of bench silicon 8, loops and rows of types with a codebook 12, products that a CPU shares 4, attention with
# heads of 512 dims 5 and their appends to the KV cache 7, dcfetch in products 4, slots and scans of recurrent
# states 4, and attention that prefetches 42. User kernels, their loader and the op CALL 5, activations that are
# quantized by quads, tiles that threads share by rows and copies of short rows 4. Sums of
# floats in 32 bits 4 (a page of the file).
SIZE_BUDGET: Final = (276 + 318 + 5 + 4 + 4 + 12 * len(contract.OPS)) * 1024

# Names that the loader resolves by a table of its own, before it looks at what the shell exports.
REPLACED: Final = frozenset(
    {"malloc", "calloc", "realloc", "free", "memalign", "qurt_timer_sleep", "qurt_qdi_close"}
    | {f"qurt_qdi_qhi{n}" for n in range(3, 13)}
)
REFUSED: Final = frozenset({"mmap", "munmap", "mprotect"})

# Weak imports, each with the reason why the skel works when it is null. A strong one needs no reason: it must be there.
WEAK_IMPORTS: Final = MappingProxyType(
    {
        "phx_pd_counters": "QEMU's packet counters, exported by the PD program alone; without it the counts stay 0",
        "phx_pd_mapping_bytes": "the size of a mapping, exported by the loopback alone; without it map_buffer believes",
    }
)

EM_HEXAGON, ET_DYN = 164, 3
PAGE = 4096
DT_PLTGOT, DT_STRSZ, DT_RELACOUNT, DT_HEXAGON_VER = 3, 10, 0x6FFFFFF9, 0x70000001
REQUIRED_VALUES: Final = MappingProxyType({DT_SYMENT: 16, DT_RELAENT: 12, DT_PLTREL: DT_RELA, DT_HEXAGON_VER: 3})
REQUIRED_TAGS: Final = {DT_HASH, DT_STRTAB, DT_SYMTAB, DT_SONAME, DT_SYMBOLIC, *REQUIRED_VALUES}
# No more than these: not DT_GNU_HASH, DT_INIT(_ARRAY), DT_FINI(_ARRAY), DT_TEXTREL, DT_FLAGS, DT_NEEDED, DT_RELR.
ALLOWED_TAGS: Final = REQUIRED_TAGS | {
    *(DT_RELA, DT_RELASZ, DT_RELACOUNT, DT_JMPREL, DT_PLTRELSZ, DT_PLTGOT, DT_STRSZ),
}
# Functions to be called at load or unload. The loader would call DT_INIT alone, which a skel of this project has not.
UNCALLED: Final = {".ctors", ".dtors", ".preinit_array", ".init_array", ".fini_array", ".init", ".fini"}
# 32, GLOB_DAT, JMP_SLOT, RELATIVE. The loader also does DTPMOD_32 (44) and DTPREL_32 (47), for thread-locals.
RELOCATIONS: Final = {6, 33, 34, 35}


def import_problems(skel: Elf32, shell: Set[str]) -> list[str]:
    """Objections to the imports, given the names that the shell exports."""
    problems = []
    for symbol in skel.imports:
        name = symbol.name
        if name in REFUSED:
            problems.append(f"{name}: refused by the loader")
        elif symbol.weak:
            if name not in WEAK_IMPORTS and name not in shell:
                problems.append(f"{name}: a weak import without a reason in WEAK_IMPORTS")
        elif name not in shell and name not in REPLACED:
            problems.append(f"{name}: not exported by the shell")
    return problems


def _sysv_hash(name: str) -> int:
    value = 0
    for byte in name.encode("ascii"):
        value = (value << 4) + byte
        value ^= (value & 0xF0000000) >> 24
        value &= 0x0FFFFFFF
    return value


def _hash_finds(skel: Elf32, name: str) -> bool:
    """Whether a look-up through DT_HASH, the only one the loader does, ends at the symbol."""
    n_buckets, n_chain = skel.hash_counts
    if not n_buckets:
        return False
    table = skel.file_offset(skel.required_tag(DT_HASH)) + 8
    buckets = struct.unpack_from(f"<{n_buckets}I", skel.data, table)
    chain = struct.unpack_from(f"<{n_chain}I", skel.data, table + 4 * n_buckets)
    index = buckets[_sysv_hash(name) % n_buckets]
    for _ in range(n_chain):
        if index == 0:
            return False
        if skel.symbols[index - 1].name == name:
            return True
        index = chain[index]
    return False


def _header_problems(skel: Elf32, arch: int) -> list[str]:
    problems = []
    if skel.machine != EM_HEXAGON:
        problems.append(f"machine {skel.machine}, not {EM_HEXAGON}")
    if skel.type != ET_DYN:
        problems.append(f"type {skel.type}, not a shared object")
    if skel.flags & 0xFF != arch:
        problems.append(f"architecture {skel.flags & 0xFF:#x}, not {arch:#x}")
    if skel.program_headers_offset + 32 * skel.n_program_headers > PAGE:
        problems.append("program headers beyond the first page")
    return problems


def _segment_problems(skel: Elf32) -> list[str]:
    problems = [
        f"segment of kind {segment.kind:#x}"
        for segment in skel.segments
        if segment.kind not in (PT_NULL, PT_LOAD, PT_DYNAMIC)
    ]
    loads = [segment for segment in skel.segments if segment.kind == PT_LOAD]
    if [load.flags for load in loads] != [PF_R | PF_X, PF_R | PF_W]:
        return [*problems, f"loads with flags {[load.flags for load in loads]}, not R E and RW"]
    problems += [
        f"load at {load.address:#x} is not page aligned"
        for load in loads
        if load.alignment != PAGE or load.address % PAGE or load.offset % PAGE
    ]
    text, data = loads
    if text.address + text.memory_size > data.address:
        problems.append("loads overlap")
    dynamic = [segment for segment in skel.segments if segment.kind == PT_DYNAMIC]
    if len(dynamic) != 1 or not data.address <= dynamic[0].address < data.address + data.file_size:
        problems.append("not one dynamic table inside the RW load")
    return problems


def _relocation_problems(skel: Elf32) -> list[str]:
    problems = []
    data = [segment for segment in skel.segments if segment.kind == PT_LOAD and segment.flags & PF_W]
    for relocation in skel.relocations:
        at = f"relocation at {relocation.address:#x}"
        if relocation.kind not in RELOCATIONS:
            problems.append(f"{at}: type {relocation.kind}, not done by the loader")
        if relocation.address % 4:
            problems.append(f"{at}: not aligned")
        if not any(0 <= relocation.address - load.address <= load.memory_size - 4 for load in data):
            problems.append(f"{at}: outside the RW load")
    return problems


def shape_problems(skel: Elf32, arch: int = 0x68) -> list[str]:
    """Objections to everything but the imports and the instructions."""
    problems = _header_problems(skel, arch) + _segment_problems(skel)
    tags = [tag for tag, _ in skel.dynamic]
    problems += [f"dynamic tag {tag:#x} is missing" for tag in REQUIRED_TAGS - set(tags)]
    problems += [f"dynamic tag {tag:#x}" for tag in tags if tag not in ALLOWED_TAGS]
    problems += [
        f"dynamic tag {tag:#x} is {skel.tag(tag)}, not {value}"
        for tag, value in REQUIRED_VALUES.items()
        if skel.tag(tag) not in (None, value)
    ]
    problems += [
        f"section {section.name}: nobody calls what is in it" for section in skel.sections if section.name in UNCALLED
    ]
    if problems:
        return problems  # what follows reads the tables that these describe
    if (soname := skel.string(skel.required_tag(DT_SONAME))) != SONAME:
        problems.append(f"SONAME {soname}")
    if skel.exports != {ENTRY}:
        problems.append(f"exports {sorted(skel.exports)}")
    entry = [symbol for symbol in skel.symbols if symbol.name == ENTRY]
    if not any(0 <= symbol.value - code.address < len(code.data) for symbol in entry for code in skel.code):
        problems.append("the entry is not code")
    if not _hash_finds(skel, ENTRY):
        problems.append("a look-up through DT_HASH does not find the entry")
    return problems + _relocation_problems(skel)


def executable_but_not_code(skel: Elf32) -> list[str]:
    """Sections whose bytes lie in the R E load without being marked as instructions: they must be data by name."""
    known = {".dynsym", ".hash", ".dynstr", ".rela.dyn", ".rela.plt", ".rodata", ".eh_frame"}
    text = next(segment for segment in skel.segments if segment.kind == PT_LOAD)
    return [
        section.name
        for section in skel.sections
        if section.flags & SHF_ALLOC
        and not section.flags & SHF_EXECINSTR
        and section.address < text.address + text.file_size
        and section.name not in known
    ]
