# SPDX-License-Identifier: MIT
"""Writes the inner loops of the HVX matmuls: one assembly file with a function for each weight type and form.

    python kernels.py OUT.S

`void hvx_sum_<type>_<form>(const struct hvx_groups *)`, declared in ../groups.h, adds to T of docs/arithmetic.md over
whole groups of four scale blocks. Form `tiles`: four tiles times one activation row; form `rows`: one tile times four
rows. ../matmul.h does the same in C for what is left over.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path

from builder import RESULTS, Builder
from schedule import Loop, Plan, Scheduler, best
from table import KERNELS, Kernel

MAX_STAGES = 4  # HVX_MIN_GROUPS of groups.h
WINDOWS = (3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24)
SLACK = 60  # packets above the bound at which to give up
FRAME = 56  # bytes: six pairs of registers, the argument

# Offsets in struct hvx_groups.
W, Q, BLOCKS, COUNT, DS, T, TABLE = 0, 16, 32, 48, 52, 56, 60


def prepare(type_name: str, form: str) -> tuple[Kernel, Scheduler]:
    """A kernel with the constants that this form needs, and its iteration."""
    kernel = KERNELS[type_name]
    builder = Builder(form, sums_in_memory=kernel.sums_in_memory)
    kernel.iteration(builder)
    used = {name for op in builder.ops for name in op.uses}
    scalars = {name: value for name, value in kernel.scalars.items() if name in used}
    splats = {name: value for name, value in kernel.splats.items() if name in used}
    kernel = replace(kernel, scalars=scalars, splats=splats)

    fixed: dict[str, str] = {}
    for i in range(RESULTS):
        fixed |= {f"PA{i}": f"v{2 * i + 1}:{2 * i}", f"PA{i}.lo": f"v{2 * i}", f"PA{i}.hi": f"v{2 * i + 1}"}
        if kernel.sums_in_memory:
            continue
        fixed |= {f"T{i}lo": f"v{8 + 2 * i}", f"T{i}hi": f"v{8 + 2 * i + 1}"}
    next_vector = 8 if kernel.sums_in_memory else 16
    for name in [*kernel.splats, *(["table"] if kernel.table else [])]:
        fixed[name] = f"v{next_vector}"
        next_vector += 1
    # Shift amounts of narrowing shifts must be in r0..r7, so constants come first.
    pointers = [f"w{i}" for i in builder.tiles] + [f"q{i}" for i in builder.rows] + [f"b{i}" for i in builder.rows]
    pointers += ["t"] if kernel.sums_in_memory else []
    scalar_names = [*kernel.scalars, "ds", *pointers]
    for number, name in enumerate(scalar_names):
        fixed[name] = f"r{number}"

    fixed["P"] = "p0"

    free = [*range(len(scalar_names), 29), 30, 31]  # the frame holds what these two had
    return kernel, Scheduler(builder.ops, fixed, range(next_vector, 32), free, frozenset(builder.pairs))


def function(type_name: str, form: str) -> tuple[str, str]:
    """The assembly of one kernel, and a line about it."""
    kernel, scheduler = prepare(type_name, form)
    plans = [Plan.of(kernel.seeds[form])] if form in kernel.seeds else []
    loop = best(scheduler, plans + [Plan(window) for window in WINDOWS], SLACK)
    assert loop.stages <= MAX_STAGES
    summary = f"{loop.interval} packets ({scheduler.bound()} at least) for four groups, {loop.stages} stages"
    text = assembly(f"hvx_sum_{type_name}_{form}", kernel, scheduler.fixed, loop, summary)
    return text, f"{type_name} {form}: {summary}"


def assembly(symbol: str, kernel: Kernel, fixed: dict[str, str], loop: Loop, summary: str) -> str:
    """The function around a loop. r28 holds the argument until its fields are loaded."""
    saved = [f"r{17 + 2 * i}:{16 + 2 * i}" for i in range(6)]
    fields = [f"{fixed[f'{name}{i}']} = memw(r28+#{base + 4 * i})"
              for name, base in (("w", W), ("q", Q), ("b", BLOCKS)) for i in range(RESULTS)
              if f"{name}{i}" in fixed]  # fmt: skip
    fields += [f"{fixed['ds']} = memw(r28+#{DS})"]
    fields += [f"{fixed['t']} = memw(r28+#{T})"] if kernel.sums_in_memory else []
    sums = range(8, 8 + 2 * RESULTS)

    saves = [f"memd(r29+#{8 * i}) = {pair}" for i, pair in enumerate(saved)]
    restores = [f"{pair} = memd(r29+#{8 * i})" for i, pair in enumerate(saved)]
    head = [[f"allocframe(#{FRAME})"]]
    if kernel.sums_in_memory:
        head += together(2, saves)
    else:
        head += [[f"r28 = memw(r0+#{T})"]]
        head += side_by_side(saves, [f"v{i} = vmem(r28+#{i - sums[0]})" for i in sums])
    head += [["memw(r29+#48) = r0", "r28 = r0"]]
    head += [*together(2, fields), [f"r28 = memw(r28+#{COUNT})"], [f"r28 = add(r28,#{1 - loop.stages})"]]
    head += [[f"loop0(.L{symbol},r28)"]]
    for name, word in kernel.splats.items():
        head += [[f"r28 = ##{word}"], [f"{fixed[name]} = vsplat(r28)"]]
    head += together(2, [f"{fixed[name]} = ##{value}" for name, value in kernel.scalars.items()])
    if kernel.table:
        head += [["r28 = memw(r29+#48)"], [f"r28 = memw(r28+#{TABLE})"], [f"{fixed['table']} = vmem(r28+#0)"]]
    if kernel.skips:
        head += together(2, [f"p{i} = cmp.gt(r28,r28)" for i in range(RESULTS)])
    if kernel.base:
        head += [[f"{fixed[f'w{i}']} = add({fixed[f'w{i}']},#{kernel.base * 128})"] for i in range(RESULTS)
                 if f"w{i}" in fixed]  # fmt: skip

    tail = []
    if kernel.sums_in_memory:
        tail += together(2, restores)
    else:
        tail += [["r28 = memw(r29+#48)"], [f"r28 = memw(r28+#{T})"]]
        tail += side_by_side([f"vmem(r28+#{i - sums[0]}) = v{i}" for i in sums], restores)
    tail += [[f"r30 = add(r29,#{FRAME})"], ["dealloc_return"]]

    lines = [f"// {summary}", ".p2align 6", f".globl {symbol}", f".hidden {symbol}", f".type {symbol},@function",
             f"{symbol}:"]  # fmt: skip
    lines += [packet(row) for row in head + loop.before]
    lines += [f".L{symbol}:"] + [packet(row) for row in loop.body]
    lines[-1] += ":endloop0"
    lines += [packet(row) for row in loop.after + tail]
    lines += [f".size {symbol}, .-{symbol}", ""]
    return "\n".join(lines)


def together(count: int, instructions: list[str]) -> list[list[str]]:
    """Packets of `count` instructions that do not depend on each other."""
    return [instructions[i : i + count] for i in range(0, len(instructions), count)]


def side_by_side(stores: list[str], loads: list[str]) -> list[list[str]]:
    """Packets of one of each, as long as there are."""
    return [[one for one in pair if one] for pair in zip_longest(stores, loads, fillvalue="")]


def packet(instructions: list[str]) -> str:
    return "{ " + "; ".join(instructions or ["nop"]) + " }"


def main(argv: list[str]) -> int:
    """Writes all kernels to the one file named."""
    parts = ["// SPDX-License-Identifier: MIT\n// Made by dsp/hvx/asm/kernels.py.\n.text\n"]
    for type_name in KERNELS:
        for form in KERNELS[type_name].forms:
            text, summary = function(type_name, form)
            parts.append(text)
            print(summary)
    Path(argv[1]).write_text("\n".join(parts), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
