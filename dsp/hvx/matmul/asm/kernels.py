# SPDX-License-Identifier: MIT
"""Writes the inner loops of the HVX matmuls, ../generated/<type>.S: one function for each micro-kernel.

    python kernels.py            # after a change of anything here: some seconds
    python kernels.py --check    # fails if ../generated was not made from the sources that are here now

`void hvx_sum_<type>_<form>(const struct hvx_groups *)`, declared in ../groups.h, adds whole groups of four scale
blocks, or of eight, to the accumulators T of docs/arithmetic.md. Its form is the shape of its micro-kernel:

    tiles                        four tiles times one activation row (GEMV)
    tiles2                       two tiles times one row, for types whose groups are super-blocks
    tile                         one tile times one row
    rows5, rows, rows3, rows2    one tile times five, four, three or two rows (GEMM)
"""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path

import orders
from builder import RESULTS, ROWS, VECTOR, Builder
from instructions import EXTENDED, LOAD, LOAD_SCALAR, MULTIPLY_8, PREDICATE, SCALAR, Cost, Op
from placement import Placement, place
from schedule import Loop, Scheduler
from table import KERNELS, Kernel

GENERATED = Path(__file__).resolve().parents[1] / "generated"
MAX_STAGES = 2  # so that a single group runs the body once
FRAME = 56  # bytes: the saved registers below, and the address of T
SAVED = {8 * i: 16 + 2 * i for i in range(6)}  # offset in the frame: the even register of a pair
FIRST_SUM = 8  # number of the first vector register that holds T
SUM = re.compile(r"T\d(lo|hi)")  # names of the halves of T

# Offsets in struct hvx_groups.
W, Q, BLOCKS, COUNT, DS, T, TABLE = 0, 16, 36, 56, 60, 64, 68


def prepare(type_name: str, form: str) -> tuple[Kernel, Scheduler]:
    """A kernel with the constants that this form needs, and its iteration."""
    kernel = KERNELS[type_name]
    in_memory = tuple(name for name in kernel.sums_in_memory if name == form)
    builder = Builder(form, sums_in_memory=bool(in_memory))
    kernel.iteration(builder)
    used = {name for op in builder.ops for name in op.uses}
    scalars = {name: value for name, value in kernel.scalars.items() if name in used}
    splats = {name: value for name, value in kernel.splats.items() if name in used}
    base = kernel.base
    if builder.is_of_rows and kernel.base_of_rows is not None:
        base = kernel.base_of_rows
    kernel = replace(
        kernel, scalars=scalars, splats=splats, sums_in_memory=in_memory, base=base, sums_base=builder.sums_base
    )

    fixed: dict[str, str] = {}
    for i in range(builder.n_results):
        if f"PA{i}" in used and f"PA{i}" not in builder.pairs:
            fixed |= {f"PA{i}": f"v{2 * i + 1}:{2 * i}", f"PA{i}.lo": f"v{2 * i}", f"PA{i}.hi": f"v{2 * i + 1}"}
        if kernel.sums_in_memory:
            continue
        fixed |= {f"T{i}lo": f"v{FIRST_SUM + 2 * i}", f"T{i}hi": f"v{FIRST_SUM + 2 * i + 1}"}
    taken = {int(n) for register in fixed.values() for n in re.findall(r"\d+", register)}
    vectors = [n for n in range(32) if n not in taken]
    for name in [*kernel.splats, *(["table"] if kernel.table else []), *builder.kept]:
        fixed[name] = f"v{vectors.pop(0)}"
    # Shift amounts of narrowing shifts must be in r0..r7, so constants come first.
    pointers = [f"w{i}" for i in builder.tiles] + [f"q{i}" for i in builder.rows]
    pointers += [f"b{i}" for i in builder.rows]
    pointers += ["t"] if kernel.sums_in_memory else []
    scalar_names = [*kernel.scalars, "ds", *pointers]
    for number, name in enumerate(scalar_names):
        fixed[name] = f"r{number}"

    fixed["P"] = "p0"

    free = [*range(len(scalar_names), 29), 30, 31]  # the frame holds what these two had
    return kernel, Scheduler(builder.ops, fixed, vectors, free, frozenset(builder.pairs))


def function(type_name: str, form: str, order: orders.Order) -> tuple[str, str]:
    """The assembly of one micro-kernel, and a line about it."""
    kernel, scheduler = prepare(type_name, form)
    loop = scheduler.loop(order.interval, order.times)
    assert loop.stages <= MAX_STAGES
    summary = f"{loop.interval} packets ({scheduler.bound()} at least) for four groups, {loop.stages} stages"
    text = assembly(f"hvx_sum_{type_name}_{form}", kernel, scheduler.fixed, loop, summary)
    return text, f"{type_name} {form}: {summary}"


def assembly(symbol: str, kernel: Kernel, fixed: dict[str, str], loop: Loop, summary: str) -> str:
    """The function around a loop."""
    head = [[f"allocframe(#{FRAME})", "r28 = r0"], *_enter(f".L{symbol}", kernel, fixed, loop)]
    restores = [f"r{r + 1}:{r} = memd(r29+#{at})" for at, r in SAVED.items()]
    if kernel.sums_in_memory:
        tail = [*together(2, restores), [f"r30 = add(r29,#{FRAME})"]]
    else:
        tail = [["r28 = memw(r29+#48)", f"r30 = add(r29,#{FRAME})"]]
        sums = sorted(int(register[1:]) for name, register in fixed.items() if SUM.fullmatch(name))
        tail += side_by_side([f"vmem(r28+#{v - FIRST_SUM}) = v{v}" for v in sums], restores)
    tail += [["dealloc_return"]]

    lines = [f"// {summary}", ".p2align 6", f".globl {symbol}", f".hidden {symbol}", f".type {symbol},@function",
             f"{symbol}:"]  # fmt: skip
    lines += [packet(row) for row in head + loop.prologue]
    body = [packet(row) for row in loop.body]
    body[-1] += ":endloop0"
    if loop.entry:
        lines += [packet([f"jump .Lfirst_{symbol}"])]
        body.insert(loop.entry, f".Lfirst_{symbol}:")
    else:
        lines += [packet([f"if (p3) jump .Lend_{symbol}"])]
        body.append(f".Lend_{symbol}:")
    lines += [f".L{symbol}:", *body]
    lines += [packet(row) for row in loop.epilogue + tail]
    lines += [f".size {symbol}, .-{symbol}", ""]
    return "\n".join(lines)


def _enter(label: str, kernel: Kernel, fixed: dict[str, str], loop: Loop) -> list[list[str]]:
    """The packets in front of the loop: from the argument in r0 and r28 they load the registers that the loop reads."""
    ops: list[Op] = []

    def add(cost: Cost, text: str, defs: list[str], uses: list[str]) -> None:
        ops.append(Op([text], defs, uses, cost))

    if not kernel.sums_in_memory:
        add(LOAD_SCALAR, f"r31 = memw(r0+#{T})", ["r31"], ["r0"])
    add(LOAD_SCALAR, f"r30 = memw(r28+#{COUNT})", ["r30"], ["r28"])
    for at, r in SAVED.items():
        add(LOAD_SCALAR, f"memd(r29+#{at}) = r{r + 1}:{r}", [], [f"r{r}", f"r{r + 1}"])
    if not loop.entry:
        add(SCALAR, f"r30 = add(r30,#{1 - loop.stages})", ["r30"], ["r30"])
    add(Cost(slots=2, high_slots=1, pipes=0), f"loop0({label},r30)", [], ["r30"])
    if not loop.entry:
        add(PREDICATE, "p3 = cmp.eq(r30,#0)", ["p3"], ["r30"])
    for i, (name, value) in enumerate(kernel.splats.items()):
        word = f"r{16 + i % 12}"  # saved, and not in use yet
        add(EXTENDED, f"{word} = ##{value}", [word], [])
        add(MULTIPLY_8, f"{fixed[name]} = vsplat({word})", [fixed[name]], [word])
    if kernel.table:
        add(LOAD_SCALAR, f"r27 = memw(r28+#{TABLE})", ["r27"], ["r28"])
        add(LOAD, f"{fixed['table']} = vmem(r27+#0)", [fixed["table"]], ["r27"])
    if not kernel.sums_in_memory:
        for register in (register for name, register in fixed.items() if SUM.fullmatch(name)):
            add(LOAD, f"{register} = vmem(r31+#{int(register[1:]) - FIRST_SUM})", [register], ["r31"])
        add(LOAD_SCALAR, "memw(r29+#48) = r31", [], ["r31"])
    for name, value in kernel.scalars.items():
        add(EXTENDED, f"{fixed[name]} = ##{value}", [fixed[name]], [])
    arrays = ("w", W, RESULTS), ("q", Q, ROWS), ("b", BLOCKS, ROWS)
    fields = [(f"{name}{i}", start + 4 * i) for name, start, n in arrays for i in range(n)]
    for name, offset in [*fields, ("ds", DS), ("t", T)]:
        if name in fixed:
            add(LOAD_SCALAR, f"{fixed[name]} = memw(r28+#{offset})", [fixed[name]], ["r28"])
            first = kernel.base if name.startswith("w") else kernel.sums_base if name == "t" else 0
            if first:
                add(SCALAR, f"{fixed[name]} = add({fixed[name]},#{first * VECTOR})", [fixed[name]], [fixed[name]])
    registers = {name: name for op in ops for name in (*op.defs, *op.uses)}
    scheduler = Scheduler(ops, registers, (), (), frozenset())
    times = place(scheduler, len(ops), Placement(range(len(ops)), len(ops)))
    assert times is not None
    return [row for row in scheduler.loop(len(ops), times).body if row]


def together(count: int, instructions: list[str]) -> list[list[str]]:
    """Packets of `count` instructions that do not depend on each other."""
    return [instructions[i : i + count] for i in range(0, len(instructions), count)]


def side_by_side(stores: list[str], loads: list[str]) -> list[list[str]]:
    """Packets of one of each, as long as there are."""
    return [[instruction for instruction in pair if instruction] for pair in zip_longest(stores, loads, fillvalue="")]


def packet(instructions: list[str]) -> str:
    return "{ " + "; ".join(instructions or ["nop"]) + " }"


def stamp(type_name: str) -> str:
    """The first lines of a generated file, with a digest of everything it was made from."""
    here = Path(__file__).resolve().parent
    idl = here.parents[3] / "idl"
    sources = sorted({*here.glob("*.py"), idl / "read_types.py", idl / "types.h"} - {here / "search.py"})
    sources += [file for file in [orders.path(type_name)] if file.exists()]
    digest = hashlib.sha256(b"\0".join(file.read_bytes() for file in sources)).hexdigest()
    return f"// SPDX-License-Identifier: MIT\n// Generated by asm/kernels.py from sources {digest}\n"


def loops(type_name: str) -> str:
    """All micro-kernels of a type, as its generated file has them. ValueError: a loop has no order that fits."""
    parts, stored = [f"{stamp(type_name)}.text\n"], orders.read(type_name)
    for form in KERNELS[type_name].forms:
        hint = f"run search.py SECONDS {type_name}:{form}"
        if form not in stored:
            raise ValueError(f"{orders.path(type_name)} has no order of {form}: {hint}")
        try:
            text, summary = function(type_name, form, stored[form])
        except ValueError as error:
            raise ValueError(
                f"the order of {type_name} {form} does not fit its instructions ({error}): {hint}"
            ) from error
        parts.append(text)
        print(summary)
    return "\n".join(parts)


def generated(type_name: str) -> Path:
    return GENERATED / f"{type_name}.S"


def is_current(type_name: str) -> bool:
    """Whether a type's generated file was made from the sources that are here now."""
    file = generated(type_name)
    return file.exists() and file.read_text(encoding="utf-8").startswith(stamp(type_name))


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description="writes ../generated, the inner loops of the HVX matmuls")
    parser.add_argument("--check", action="store_true", help="only tell whether ../generated is up to date")
    if parser.parse_args().check:
        stale = [str(generated(name)) for name in KERNELS if not is_current(name)]
        stale += [str(file) for file in GENERATED.glob("*.S") if file.stem not in KERNELS]
        if stale:
            print(f"not made from the present sources: {', '.join(stale)}; run {Path(__file__)}", file=sys.stderr)
        return 1 if stale else 0
    GENERATED.mkdir(exist_ok=True)
    for name in KERNELS:
        generated(name).write_text(loops(name), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
