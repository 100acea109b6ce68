# SPDX-License-Identifier: MIT
"""Write pyhexagon/selftest.json: the hashes of the cases of `pyhexagon selftest`.

    .venv/bin/python scripts/record_selftest.py            # of the cases without a hash
    .venv/bin/python scripts/record_selftest.py OP...      # of all cases of these ops, after their bits have changed

The v68 skel computes them under QEMU, with its HVX and its reference kernels, which must agree. Hashes of removed cases
are dropped.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from pyhexagon import Device, selftest
from pyhexagon.op_cases import seeds

ABOUT = (
    "Hashes for `pyhexagon selftest`, recorded by scripts/record_selftest.py from the v68 skel under QEMU (HVX and ref "
    "kernels, which agreed). inputs: what a case is made from, tiles of weights included; result: what its op leaves; "
    "both as the first 128 bits of SHA-256. pyhexagon/op_cases has the cases."
)


def main(again: list[str]) -> None:
    lines, n_new = [], 0
    with Device("loopback:qemu", transport="invoke") as device:
        for case in selftest.recorded():
            inputs, result = case.inputs, case.result
            if not result or case.op in again:
                computed = selftest.run_case(device, case)
                digests = {seeds.digest(*arrays) for arrays in computed.results.values()}
                if len(digests) > 1:
                    sys.exit(f"{case}: hvx and ref differ: {selftest.first_difference(computed.results)}")
                inputs, (result,) = computed.inputs, digests
                n_new += 1
            facts = {"op": case.op, "type": case.type, "case": case.name, "inputs": inputs, "result": result}
            lines.append(f"  {json.dumps(facts)}")
    path = Path(selftest.__file__).parents[1] / selftest.RECORD
    body = ",\n".join(lines)
    path.write_text(f'{{"about": {json.dumps(ABOUT)},\n "cases": [\n{body}\n ]}}\n', encoding="ascii")
    print(f"wrote {path.name}: {len(lines)} cases, {n_new} of them recorded now")


if __name__ == "__main__":
    main(sys.argv[1:])
