# SPDX-License-Identifier: MIT
"""Writes pyhexagon/selftest.json: the products of `pyhexagon selftest` and the hashes of their bits.

They are computed by the v68 skel under QEMU, by its HVX kernels and by its portable ones, which must agree. To be run
when docs/arithmetic.md or the cases change; `.venv/bin/python scripts/record_selftest.py`.
"""

import json
from pathlib import Path

import gguf

from pyhexagon import Device, selftest

ABOUT = (
    "Hashes for `pyhexagon selftest`, recorded by scripts/record_selftest.py from the v68 skel under QEMU (HVX and ref "
    "kernels, which agreed). inputs: the tiles of the weight, then the activations; result: the float32 product; "
    "both as the first 128 bits of SHA-256. pyhexagon/selftest.py makes the inputs from the seed."
)
# Few and many tiles for a thread, one and several rows at a time, K from one block to more than HVX quantises at once.
N_M = ((1, 1), (64, 2), (33, 5), (65, 4), (127, 33), (1600, 1), (70, 7), (130, 16), (65, 2), (31, 3), (40, 1))
K = {
    1: (1, 31, 33, 64, 300, 512, 1056, 1100, 353, 1183, 95),
    32: (32, 64, 160, 288, 96, 576, 1056, 2144, 352, 1184, 224),
    256: (256, 512, 1280, 768, 512, 1536, 1280, 2304, 1792, 1024, 256),
}


def main() -> None:
    cases: list[dict[str, object]] = []
    with Device("loopback:qemu") as device:
        for dtype in selftest.TYPES:
            for (n, m), k in zip(N_M, K[gguf.GGML_QUANT_SIZES[dtype][0]], strict=True):
                case = selftest.Case(dtype.name, n, k, m, len(cases) + 1, "", "")
                x = selftest.activations(m, k, case.seed)
                with selftest.upload(device, case) as weight:
                    inputs = selftest.digest(weight.buffer.bytes[: weight.nbytes], x)
                    hvx, ref = (selftest.product(device, x, weight, kernels) for kernels in ("hvx", "ref"))
                assert (hvx[1], ref[1]) == ("hvx", "ref")
                result = selftest.digest(hvx[0])
                assert result == selftest.digest(ref[0]), case
                cases.append({**vars(case), "inputs": inputs, "result": result})
    lines = ",\n".join(f"  {json.dumps(case)}" for case in cases)
    path = Path(__file__).parents[1] / "pyhexagon" / selftest.RECORD
    path.write_text(f'{{"about": {json.dumps(ABOUT)},\n "cases": [\n{lines}\n ]}}\n', encoding="ascii")
    print(f"wrote {path.name}: {len(cases)} cases")


if __name__ == "__main__":
    main()
