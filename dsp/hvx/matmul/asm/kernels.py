# SPDX-License-Identifier: MIT
"""Writes the inner loops of the HVX matmuls, ../loops.S: a function for each weight type and form.

    python kernels.py            # when something here has changed: half a minute
    python kernels.py --check    # whether ../loops.S was made of what is here now

`void hvx_sum_<type>_<form>(const struct hvx_groups *)`, declared in ../groups.h, adds to T of docs/arithmetic.md over
whole groups of four scale blocks, or of eight.
Form `tiles`: four tiles times one activation row; form `tile`: one tile times one row; form `rows`: one tile times
four rows; forms `rows5`, `rows3` and `rows2`: times as many as they say.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path

from builder import RESULTS, ROWS, VECTOR, Builder
from schedule import EXTENDED, LOAD, LOAD_SCALAR, MULTIPLY_8, PREDICATE, SCALAR, Cost, Loop, Op, Plan, Scheduler, best
from table import KERNELS, Kernel

LOOPS = Path(__file__).resolve().parents[1] / "loops.S"
MAX_STAGES = 2  # so that one group needs no more than the body once
WINDOWS = (3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24)
SLACK = 60  # packets above the bound at which to give up
FRAME = 56  # bytes: the registers below, T's address
SAVED = {8 * i: 16 + 2 * i for i in range(6)}  # place in the frame: the even register of a pair
FIRST_SUM = 8  # of the vectors that hold T
SUM = re.compile(r"T\d(lo|hi)")  # what T's halves are called

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
        if f"PA{i}" not in builder.pairs:
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


def function(type_name: str, form: str) -> tuple[str, str]:
    """The assembly of one kernel, and a line about it."""
    kernel, scheduler = prepare(type_name, form)
    loop = best(scheduler, kernel.plans(form) + [Plan(window) for window in WINDOWS], SLACK)
    assert loop.stages <= MAX_STAGES
    summary = f"{loop.interval} packets ({scheduler.bound()} at least) for four groups, {loop.stages} stages"
    text = assembly(f"hvx_sum_{type_name}_{form}", kernel, scheduler.fixed, loop, summary)
    return text, f"{type_name} {form}: {summary}"


def assembly(symbol: str, kernel: Kernel, fixed: dict[str, str], loop: Loop, summary: str) -> str:
    """The function around a loop."""
    head = [[f"allocframe(#{FRAME})", "r28 = r0"], *_enter(f".L{symbol}", kernel, fixed, loop)]
    restores = [f"r{r + 1}:{r} = memd(r29+#{place})" for place, r in SAVED.items()]
    if kernel.sums_in_memory:
        tail = [*together(2, restores), [f"r30 = add(r29,#{FRAME})"]]
    else:
        tail = [["r28 = memw(r29+#48)", f"r30 = add(r29,#{FRAME})"]]
        sums = sorted(int(register[1:]) for name, register in fixed.items() if SUM.fullmatch(name))
        tail += side_by_side([f"vmem(r28+#{v - FIRST_SUM}) = v{v}" for v in sums], restores)
    tail += [["dealloc_return"]]

    lines = [f"// {summary}", ".p2align 6", f".globl {symbol}", f".hidden {symbol}", f".type {symbol},@function",
             f"{symbol}:"]  # fmt: skip
    lines += [packet(row) for row in head + loop.before]
    body = [packet(row) for row in loop.body]
    body[-1] += ":endloop0"
    if loop.entry:
        lines += [packet([f"jump .Lfirst_{symbol}"])]
        body.insert(loop.entry, f".Lfirst_{symbol}:")
    else:
        lines += [packet([f"if (p3) jump .Lend_{symbol}"])]
        body.append(f".Lend_{symbol}:")
    lines += [f".L{symbol}:", *body]
    lines += [packet(row) for row in loop.after + tail]
    lines += [f".size {symbol}, .-{symbol}", ""]
    return "\n".join(lines)


def _enter(label: str, kernel: Kernel, fixed: dict[str, str], loop: Loop) -> list[list[str]]:
    """Packets from the argument in r0 and r28 to all that the loop wants to find in registers."""
    ops: list[Op] = []

    def add(cost: Cost, text: str, defs: list[str], uses: list[str]) -> None:
        ops.append(Op([text], defs, uses, cost))

    if not kernel.sums_in_memory:
        add(LOAD_SCALAR, f"r31 = memw(r0+#{T})", ["r31"], ["r0"])
    add(LOAD_SCALAR, f"r30 = memw(r28+#{COUNT})", ["r30"], ["r28"])
    for place, r in SAVED.items():
        add(LOAD_SCALAR, f"memd(r29+#{place}) = r{r + 1}:{r}", [], [f"r{r}", f"r{r + 1}"])
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
    once = Scheduler(ops, registers, (), (), frozenset()).schedule(len(ops), Plan(len(ops)))
    assert once is not None
    return [row for row in once.body if row]


def together(count: int, instructions: list[str]) -> list[list[str]]:
    """Packets of `count` instructions that do not depend on each other."""
    return [instructions[i : i + count] for i in range(0, len(instructions), count)]


def side_by_side(stores: list[str], loads: list[str]) -> list[list[str]]:
    """Packets of one of each, as long as there are."""
    return [[one for one in pair if one] for pair in zip_longest(stores, loads, fillvalue="")]


def packet(instructions: list[str]) -> str:
    return "{ " + "; ".join(instructions or ["nop"]) + " }"


def stamp() -> str:
    """The first lines of loops.S: they tell what it was made of."""
    here = Path(__file__).resolve().parent
    idl = here.parents[3] / "idl"
    sources = sorted({*here.glob("*.py"), idl / "read_types.py", idl / "types.h"} - {here / "search.py"})
    digest = hashlib.sha256(b"\0".join(path.read_bytes() for path in sources)).hexdigest()
    return f"// SPDX-License-Identifier: MIT\n// Made by asm/kernels.py of sources {digest}\n"


def loops() -> str:
    """All kernels, as loops.S has them."""
    parts = [f"{stamp()}.text\n"]
    for type_name in KERNELS:
        for form in KERNELS[type_name].forms:
            text, summary = function(type_name, form)
            parts.append(text)
            print(summary)
    return "\n".join(parts)


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description="writes loops.S, the inner loops of the HVX matmuls")
    parser.add_argument("--check", action="store_true", help="only look whether it is made of these sources")
    if not parser.parse_args().check:
        LOOPS.write_text(loops(), encoding="utf-8")
    elif not LOOPS.read_text(encoding="utf-8").startswith(stamp()):
        print(f"{LOOPS} is older than what it is made of: run {Path(__file__)}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
