# SPDX-License-Identifier: MIT
"""Print tables of docs/benchmarks.md: what a token costs with draft tokens, counted under QEMU.

    .venv/bin/python -m benchmarks.speculation_table --verify stories260K.gguf    # a message that verifies draft tokens
    .venv/bin/python -m benchmarks.speculation_table stories260K.gguf             # no draft, prompt lookup, draft model
    .venv/bin/python -m benchmarks.speculation_table --mtp qwen35:0.8B            # a random model's MTP block

Figures are per token, with greedy sampling, without the prefill. Only bytes of weights count as read. A model with
random weights never accepts a draft, so with --mtp the messages that draft and verify n tokens are counted alone, and
the acceptance rate is an assumption.
"""

from __future__ import annotations

import argparse
import threading
from collections.abc import Callable
from typing import Final, NamedTuple

from pyhexagon import LLM, Device
from pyhexagon.bench import model, random_model
from pyhexagon.bench.timed import traced
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm import prompt_lookup
from pyhexagon.llm.engine.engine import Engine
from pyhexagon.llm.engine.engine_core import EngineCore
from pyhexagon.llm.engine.forward import ForwardPass
from pyhexagon.llm.engine.model import Model, checked
from pyhexagon.llm.engine.speculation import MTPDraft
from pyhexagon.llm.engine.stage import Stage

THREADS: Final = 4
N_CTX: Final = 512
N_TOKENS: Final = 200
PROMPT: Final = "Once upon a time, there was a little girl named Lily. She liked to play with her friend"
LENGTHS: Final = (1, 4)
VERIFIED: Final = (0, 1, 2, 4, 8)
ACCEPTANCE: Final = (1.0, 0.7)  # of a draft token, if those before it were accepted
HEAD: Final = "| | messages | MiB read | packets, all threads | busiest of four |\n|---|--:|--:|--:|--:|"


class Cost(NamedTuple):
    """The cost of messages."""

    messages: float
    bytes: float
    packets: float
    busiest: float

    def line(self, name: str, n_tokens: float) -> str:
        """Return a row of the table, per token."""
        messages, size, packets, busiest = (one / n_tokens for one in self)
        return f"| {name} | {messages:.2f} | {size / (1 << 20):.2f} | {packets:,.0f} | {busiest:,.0f} |"


def cost(device: Device, work: Callable[[], object]) -> Cost:
    """Return the cost of all messages of ``work``."""
    with traced(device) as tracer:
        work()
    ops = [op for report in tracer.reports for op in report.ops]
    packets, busiest = sum(op.packets or 0 for op in ops), sum(op.packets_max_thread or 0 for op in ops)
    return Cost(len(tracer.reports), sum(op.dma_bytes for op in ops), packets, busiest)


def measured(path: str) -> None:
    """Print the cost of a token of a real model."""
    drafts = {"no draft": None, "prompt lookup": prompt_lookup(), "draft model: the model itself": path}
    for name, draft in drafts.items():
        with (
            Device("loopback:qemu", threads=THREADS) as device,
            LLM(path, N_CTX, device=device, draft_model=draft) as llm,
        ):
            for _ in range(2):  # the first time, programs are compiled
                llm.generate(PROMPT, N_TOKENS, temperature=0)
            llm.clear_cache()
            llm.generate(PROMPT, 1, temperature=0)
            made = []
            total = cost(device, lambda: made.append(llm.generate(PROMPT, N_TOKENS, temperature=0)))  # noqa: B023
            (one,) = made
            accepted = f": {one.draft_n_accepted} of {one.draft_n} accepted" if one.draft_n else ""
            print(total.line(name + accepted, len(one.tokens)), flush=True)


def of_message(path: str) -> None:
    """Print the packets of the message that verifies draft tokens after 128 tokens, with one thread and with four."""
    print("| draft tokens |", *(f"{n} |" for n in VERIFIED))
    for n_threads in (1, THREADS):
        with GGUFFile(path) as file, Device("loopback:qemu", threads=n_threads, timeout=model.TIMEOUT) as device:
            stage = Stage(Model(device, file, checked(file)), N_CTX)
            engine = Engine(EngineCore(stage), threading.Lock())
            tokens, packets = list(range(3, 131)), []
            with traced(device) as tracer:
                for n in VERIFIED:
                    for _ in range(3):  # the first two times, programs are compiled and the workspace grows
                        engine.finish(engine.forward(tokens + [5] * n, 1, n_draft=n))
                    packets.append(sum(op.packets_max_thread or 0 for op in tracer.reports[-1].ops))
        print(f"| busiest of {n_threads} |", *(f"{one:,} |" for one in packets), flush=True)


def of_mtp(shape: str) -> None:
    """Print the cost of a token of a random model with an MTP block, for some numbers of accepted draft tokens."""
    with random_model.opened(shape) as file, Device("loopback:qemu", threads=THREADS, timeout=model.TIMEOUT) as device:
        stage = Stage(Model(device, file, checked(file, has_mtp=True)), N_CTX)
        engine = Engine(EngineCore(stage), threading.Lock())
        drafts, tokens = MTPDraft(engine), list(range(3, 20))

        def verify(n: int) -> ForwardPass:
            forward = engine.forward(tokens + [5] * n, 1, n_draft=n)
            engine.finish(forward)
            return forward

        def costs(n: int) -> tuple[Cost, Cost]:
            """Return the costs of verifying and of drafting n tokens. In their first run, the workspace may grow."""
            for _ in range(2):
                last = verify(0)
                drafting = cost(device, lambda: drafts.finish(drafts.forward([*tokens, 5], last, 0, n)))  # noqa: B023
                verifying = cost(device, lambda: verify(n))
            return verifying, drafting

        verify(0)
        print(cost(device, lambda: verify(0)).line("no draft", 1), flush=True)
        for n in LENGTHS:
            verifying, drafting = costs(n)
            print(verifying.line(f"verifies {n}", 1), drafting.line(f"drafts {n}", 1), sep="\n", flush=True)
            both = Cost(*map(sum, zip(verifying, drafting, strict=True)))
            for rate in ACCEPTANCE:
                n_tokens = sum(rate**at for at in range(n + 1))
                print(both.line(f"MTP, at most {n}, {rate:.0%} accepted", n_tokens), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="a GGUF file; with --mtp, a shape of pyhexagon/bench/random_model.py")
    kinds = parser.add_mutually_exclusive_group()
    kinds.add_argument("--verify", action="store_true", help="measure messages that verify draft tokens")
    kinds.add_argument("--mtp", action="store_true", help="measure the MTP block of random weights")
    options = parser.parse_args()
    if options.verify:
        of_message(options.model)
    else:
        print(HEAD)
        (of_mtp if options.mtp else measured)(options.model)


if __name__ == "__main__":
    main()
