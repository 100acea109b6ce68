# SPDX-License-Identifier: MIT
"""Which tests a change to a file concerns: for ``scripts/test changed`` and for ``scripts/mutants``.

A path takes the file of tests with its module's name, then the tests of every row that it matches, in the order of the
table: those of the file itself first, then those of its room. A test that is likely to fail, and soon, comes first.
``tests/unit/test_touched.py`` checks that every file of the tree has tests, and that all of them exist.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]

_OP: Final = re.compile(r"(?:dsp/(?:ref|hvx|ops)|pyhexagon/ops)/(\w+)\.(?:c|h|py)")
_MODULE: Final = re.compile(r"pyhexagon/(?:(\w+)/)?(?:\w+/)*(\w+)\.py")
_OP_ROW: Final = re.compile(r"^OP\(\d+, \w+, (\w+), (\w+)", re.MULTILINE)
_NUMPY_NAMES: Final = {"mul_mat": "matmul"}  # of ops whose Python function has another name

# A pattern of paths, in which * matches any characters, and its tests: FOLDER, or FOLDER/NAME for test_NAME.py.
ROWS: Final[tuple[tuple[str, str], ...]] = (
    # --- The runtime ---
    ("dsp/runtime/check.c", "ops/checker fuzz/fuzz"),
    ("dsp/runtime/user_kernels.*", "user_kernels"),
    ("dsp/ops/call.c", "user_kernels"),
    ("idl/pyhexagon_kernel.h", "user_kernels"),
    ("docs/kernels/*", "user_kernels"),
    ("docs/own-kernels.md", "user_kernels/docs audit/docs_site"),
    ("docs/hvx-intrinsics.md", "math/intrinsics audit/docs_site"),
    ("scripts/hvx_table.py", "math/intrinsics"),
    ("pyhexagon/cli/kernel.py", "user_kernels/check"),
    ("pyhexagon/kernels/*", "user_kernels"),
    ("pyhexagon/process/user_kernels.py", "user_kernels"),
    ("pyhexagon/program/blame.py", "user_kernels"),
    ("dsp/runtime/program.*", "conformance/incoherent conformance/kept_programs ops/moved_operands"),
    ("dsp/runtime/execute.*", "conformance/incoherent conformance/failures conformance/programs"),
    ("dsp/runtime/maps.*", "conformance/binding conformance/device ops/moved_operands"),
    ("dsp/runtime/workspace.*", "conformance/workspace ops/little_heap"),
    ("dsp/runtime/area.h", "conformance/workspace ops/little_heap"),
    ("dsp/runtime/pool.*", "ops/attention_threads ops/soft_max ops/rms_norm ops/shared_tiles"),
    ("dsp/runtime/queue.c", "conformance/incoherent conformance/binding loopback/c_client"),
    ("dsp/runtime/power.*", "conformance/votes"),
    ("dsp/runtime/log.*", "conformance/logs conformance/incoherent"),
    ("dsp/runtime/context.*", "conformance/logs conformance/binding conformance/opens_and_refusals"),
    ("dsp/runtime/skel.c", "conformance/binding conformance/opens_and_refusals"),
    ("dsp/runtime/*thread.*", "conformance/thread_stack qemu/stacks"),
    ("dsp/runtime/dma.*", "ops/streaming doctor/dma cli/bench_silicon"),
    ("dsp/runtime/fetch.h", "ops/cache_fetches ops/state_fetches ops/copies_ahead"),
    ("dsp/runtime/vtcm.*", "qemu/vtcm ops/vtcm_sizes doctor/dma"),
    ("dsp/runtime/co*", "cli/ops_packets conformance/trace abi/declarations"),
    ("dsp/runtime/*", "conformance/programs conformance/device conformance/failures fuzz/fuzz"),
    # --- Ops: what they accept, and how their work is cut ---
    ("dsp/ops/by_row.c", "program/fusions ops/little_heap"),
    ("dsp/ops/fused.c", "program/fusions conformance/switches"),
    ("dsp/ops/rows.c", "ops/rms_norm ops/norm ops/soft_max ops/top_k ops/cpy"),
    ("dsp/ops/elements.h", "ops/elementwise ops/cpy"),
    ("dsp/ops/picks.*", "ops/top_k ops/argmax"),
    ("dsp/ops/stages.c", "conformance/switches"),
    ("dsp/ops/matmul/pl*", "matmul_plan/matmul_plan"),
    ("dsp/ops/matmul/pieces.*", "matmul_plan/matmul_plan"),
    ("dsp/ops/matmul/split.*", "matmul_plan/matmul_plan"),
    ("dsp/ops/matmul/stream.*", "ops/streaming ops/copies_ahead"),
    ("dsp/ops/matmul/product.*", "ops/between_matmuls ops/copies_ahead ops/kept_activations ops/leading"),
    ("dsp/ops/matmul/kept.h", "ops/kept_activations"),
    ("dsp/ops/matmul/meeting.*", "conformance/cpu_share ops/shared_rows"),
    ("dsp/ops/matmul/mul_mat_id.c", "ops/mul_mat_id conformance/mul_mat_id"),
    ("dsp/ops/matmul/*", "conformance/matmul ops/short_groups ops/shared_tiles ops/slices"),
    ("dsp/ops/matmul/*", "conformance/mul_mat_id program/fusions ops/streaming ops/matmul"),
    ("dsp/ops/attention/append.h", "ops/cache_append"),
    ("dsp/ops/attention/cache_append.c", "ops/cache_append program/fusions"),
    ("dsp/ops/attention/cache*", "ops/cache_copy ops/cache_append"),
    ("dsp/ops/attention/attention.*", "ops/attention_rules"),
    ("dsp/ops/attention/*", "ops/attention_threads ops/flash_attn_ext ops/attention_invariance"),
    ("dsp/ops/attention/*", "ops/cache_append ops/cache_fetches"),
    ("dsp/ops/*", "ops/checker fuzz/fuzz ops/cases"),
    # --- Kernels ---
    ("dsp/math/*", "math/math"),
    ("dsp/*/attention/append.*", "ops/cache_append"),
    ("dsp/*/attention/*", "ops/flash_attn_ext ops/cache_append ops/attention_threads"),
    ("dsp/*/attention/*", "ops/attention_rules ops/attention_invariance ops/cache_fetches"),
    ("dsp/*/convert*", "ops/cpy ops/set_rows ops/get_rows"),
    ("dsp/*/elementwise.*", "ops/elementwise"),
    ("dsp/*/norm*", "ops/norm ops/l2_norm"),
    ("dsp/*/rms_norm.*", "ops/l2_norm"),
    ("dsp/*/pick.h", "ops/top_k ops/argmax ops/argsort"),
    ("dsp/*/sum*", "ops/sum_rows ops/mean"),
    ("dsp/hvx/rows.h", "ops/rms_norm ops/norm ops/argsort"),
    ("dsp/hvx/delta_rows.h", "ops/gated_delta_net"),
    ("dsp/ref/slots.*", "ops/gated_delta_net ops/ssm_conv"),
    ("dsp/*/matmul/*", "ops/short_groups ops/matmul"),
    ("dsp/hvx/matmul/*", "kernels/kernels"),
    ("dsp/ref/matmul/*", "unit/arithmetic"),
    ("dsp/formats/cache.h", "ops/cache_append ops/cache_copy ops/checker"),
    ("dsp/formats/tiles.*", "ops/short_groups ops/get_rows unit/arithmetic ops/matmul"),
    ("dsp/cpu/hvx/*", "math/intrinsics ops/cpy ops/rms_norm ops/flash_attn_ext ops/soft_max"),
    ("dsp/cpu/*", "ops/cases conformance/cpu conformance/cpu_levels ops/shared_rows"),
    ("dsp/math/*", "ops/cases kernels/ops"),
    ("dsp/ref/*", "ops/cases kernels/ops cli/selftest"),
    ("dsp/hvx/*", "ops/cases kernels/ops cli/selftest"),
    # --- The loopback, and what the CPU computes beside the DSP ---
    ("dsp/loopback/rates.*", "cli/bench_silicon cli/tune"),
    ("dsp/loopback/engine_qemu*", "qemu/pd qemu/death"),
    ("dsp/loopback/host*", "conformance/incoherent"),
    ("dsp/loopback/engine_host.c", "conformance/incoherent"),
    ("dsp/loopback/buffer.*", "conformance/incoherent"),
    ("dsp/loopback/shell/cache.*", "conformance/incoherent doctor/coherence"),
    ("dsp/loopback/shell/heap.c", "ops/little_heap doctor/sessions"),
    ("dsp/loopback/shell/power.c", "conformance/votes cli/bench_silicon"),
    ("dsp/loopback/shell/stack.c", "qemu/stacks conformance/thread_stack"),
    ("dsp/loopback/shell/*", "loopback/c_client qemu/shell qemu/pd qemu/benchmark_skel"),
    ("dsp/loopback/pd/loader.*", "qemu/loader"),
    ("dsp/loopback/pd/memory.c", "qemu/guards qemu/death qemu/pd"),
    ("dsp/loopback/pd/d*", "qemu/pd ops/streaming cli/bench_silicon"),
    ("dsp/loopback/pd/co*", "qemu/pd qemu/vtcm ops/vtcm_sizes conformance/incoherent"),
    ("dsp/loopback/pd/*", "qemu/pd qemu/shell qemu/vtcm qemu/loader qemu/guards"),
    ("dsp/loopback/*", "loopback/c_client conformance/binding conformance/failures"),
    ("dsp/loopback/*", "conformance/opens_and_refusals conformance/incoherent memory/sessions"),
    ("dsp/sharing/*", "ops/shared_rows conformance/cpu_share llm/cpu_share"),
    ("dsp/probes/*", "cli/bench_silicon"),
    ("dsp/kernels/*", "doctor/user_kernel cli/bench_silicon"),
    ("dsp/cmake/*", "audit/skel audit/shape audit/rebuild audit/hexagon_sdk audit/host_libraries wheels"),
    ("idl/types.h", "unit/types unit/quants ops/cases"),
    ("idl/*", "unit/idl unit/types unit/ops_list abi/declarations ops/checker"),
    # --- The binding, processes and memory ---
    ("pyhexagon/_ffi/native/*caller*", "loopback/caller unit/callthread"),
    ("pyhexagon/_ffi/native/status.*", "conformance/notifications conformance/two_dsps"),
    ("pyhexagon/_ffi/native/*", "unit/quants memory/every_type"),
    ("pyhexagon/_ffi/cdef/*", "abi/declarations abi/facts"),
    ("pyhexagon/_ffi/*sharing*", "conformance/cpu_share"),
    ("pyhexagon/_ffi/*", "unit/idl conformance/binding abi/facts"),
    ("pyhexagon/process/callthread.py", "unit/callthread"),
    ("pyhexagon/process/changes.py", "conformance/changes"),
    ("pyhexagon/process/coherence.py", "doctor/coherence doctor/boards conformance/incoherent"),
    ("pyhexagon/process/cores.py", "unit/cores"),
    ("pyhexagon/process/dsplog.py", "conformance/logs"),
    ("pyhexagon/process/locate.py", "conformance/choice_of_skel conformance/cpu_levels"),
    ("pyhexagon/process/profile.py", "cli/tune"),
    ("pyhexagon/process/transport/*", "conformance/failures conformance/manners conformance/incoherent"),
    ("pyhexagon/process/*", "conformance/failures conformance/incoherent conformance/opens_and_refusals"),
    ("pyhexagon/process/*", "conformance/manners conformance/device conformance/votes"),
    ("pyhexagon/memory/placement.py", "memory/sessions memory/room memory/lost"),
    ("pyhexagon/memory/*", "conformance/tensor conformance/incoherent memory/sessions"),
    ("pyhexagon/memory/*", "memory/room memory/lost conformance/device"),
    # --- Programs and ops ---
    ("pyhexagon/program/numbers.py", "conformance/kept_programs"),
    ("pyhexagon/program/rendezvous.py", "ops/shared_rows conformance/cpu_share"),
    ("pyhexagon/program/sharing.py", "ops/shared_rows conformance/cpu_share"),
    ("pyhexagon/program/switches.py", "conformance/switches"),
    ("pyhexagon/program/re*", "conformance/trace conformance/programs"),
    ("pyhexagon/program/wire.py", "conformance/incoherent conformance/failures ops/checker"),
    ("pyhexagon/program/*", "program conformance/programs conformance/kept_programs"),
    ("pyhexagon/program/*", "conformance/incoherent memory/sessions conformance/switches"),
    ("pyhexagon/ops/*", "unit/ops_list program/compile ops/cases"),
    ("pyhexagon/op_cases/*", "unit/ops_list unit/selftest_cases ops/cases cli/ops_report"),
    ("pyhexagon/ops_report/*", "cli/ops_report cli/ops_packets"),
    ("pyhexagon/selftest*", "unit/selftest_cases cli/selftest"),
    ("pyhexagon/quants/*", "unit/quants unit/types conformance/sources memory/packing"),
    ("pyhexagon/gguf/*", "unit/gguf_file unit/gguf_damaged unit/gguf_parts llm/mutated_headers"),
    ("pyhexagon/gguf/kinds.py", "speech/ggml_file cli/show"),
    ("pyhexagon/gguf/reading.py", "unit/gguf_file unit/gguf_damaged"),
    ("pyhexagon/gguf/safetensors.py", "conformance/sources"),
    ("pyhexagon/gguf/sources.py", "conformance/sources"),
    ("pyhexagon/cache.py", "ops/cache_copy ops/cache_append llm/several llm/speculation"),
    ("pyhexagon/files.py", "unit/files llm/files"),
    ("pyhexagon/trace.py", "conformance/trace"),
    ("pyhexagon/products.py", "conformance/matmul"),
    ("pyhexagon/errors/*", "unit/errors"),
    ("pyhexagon/interrupts.py", "conformance/interrupts"),
    ("pyhexagon/packing.py", "memory/packing"),
    ("pyhexagon/weights.py", "conformance/sources memory/packing memory/load_all"),
    ("pyhexagon/tensor.py", "conformance/tensor"),
    # --- Language models ---
    ("pyhexagon/llm/vision/*",
     "llm/mmproj llm/pictures llm/vision_encoders llm/vision_weights llm/vision_chat llm/vision_recorded"),
    ("pyhexagon/llm/files/weight_types.py", "llm/vision_weights speech/model speech/show"),
    ("pyhexagon/cli/image_options.py", "cli/image_options llm/vision_memory"),
    ("pyhexagon/llm/engine/embeddings.py", "llm/vision_chat"),
    ("pyhexagon/llm/engine/runner.py", "llm/vision_chat llm/several llm/llm"),
    ("pyhexagon/llm/engine/batching.py", "llm/several llm/qwen35 llm/recurrent llm/speculation"),
    ("pyhexagon/llm/engine/errors.py", "llm/scheduler serve/errors"),
    ("pyhexagon/serve/http/errors.py", "serve/errors serve/serve"),
    ("pyhexagon/llm/engine/scheduler.py", "llm/scheduler llm/answers serve/limits serve/load serve/serve serve/draft"),
    ("pyhexagon/llm/engine/request.py", "llm/scheduler llm/answers serve/serve"),
    ("pyhexagon/llm/engine/streaming.py", "llm/llm llm/answers llm/lora llm/several"),
    ("pyhexagon/llm/engine/engine_thread.py", "serve/load serve/serve serve/draft serve/models serve/image_faults"),
    ("pyhexagon/llm/engine/device_gate.py", "serve/models"),
    ("pyhexagon/llm/engine/fair_queue.py", "llm/scheduler serve/load serve/limits serve/places"),
    ("pyhexagon/llm/engine/kv_cache.py", "llm/several llm/llm llm/speculation llm/qwen35"),
    ("pyhexagon/llm/engine/prefix_index.py", "llm/several llm/llm"),
    ("pyhexagon/llm/engine/recurrent_state.py", "llm/recurrent llm/qwen35 llm/lfm2 llm/mamba2"),
    ("pyhexagon/llm/engine/sampling*", "llm/sampling"),
    ("pyhexagon/llm/engine/stopping.py", "llm/sampling llm/llm"),
    ("pyhexagon/llm/engine/d*ing.py", "llm/speculation llm/mtp llm/sampling llm/llm"),
    ("pyhexagon/llm/*/spec*", "llm/speculation llm/mtp llm/vocabularies llm/scored_bpe"),
    ("pyhexagon/llm/tokens/tokenizer.py", "llm/tokenizer llm/vocabularies"),
    ("pyhexagon/llm/*subwords.py", "llm/tokenizer llm/vocabularies"),
    ("pyhexagon/llm/tokens/pretokenise.py", "llm/tokenizer llm/vocabularies"),
    ("pyhexagon/llm/tokens/vocabulary.py", "llm/tokenizer llm/vocabularies"),
    ("pyhexagon/llm/tokens/scored_bpe.py", "llm/scored_bpe llm/tokenizer"),
    ("pyhexagon/llm/chat/reasoning.py", "llm/reasoning llm/thinking"),
    ("pyhexagon/llm/chat/detection.py", "llm/thinking"),
    ("pyhexagon/llm/chat/variants.py", "llm/repair"),
    ("pyhexagon/doctor/switches.py", "conformance/environment"),
    ("pyhexagon/workers/*", "llm/template_workers serve/highlighting"),
    ("pyhexagon/llm/*templat*", "llm/templates llm/template_workers llm/published_templates"),
    ("pyhexagon/llm/chat/rendering.py", "llm/templates"),
    ("pyhexagon/llm/chat/openai_format.py", "llm/openai_format llm/compat"),
    ("pyhexagon/llm/*memory.py", "llm/memory"),
    ("pyhexagon/llm/*config.py", "llm/config"),
    ("pyhexagon/llm/*parameters.py", "llm/config"),
    ("pyhexagon/llm/files/header_keys.py", "llm/config"),
    ("pyhexagon/llm/*pipeline.py", "llm/sessions cluster/partition llm/devices"),
    ("pyhexagon/llm/partition.py", "cluster/partition"),
    ("pyhexagon/llm/embedding_model.py", "llm/embed"),
    ("pyhexagon/llm/engine/en*.py", "llm/embed llm/embedders llm/experts"),
    ("pyhexagon/llm/*delta_net.py", "llm/qwen35"),
    ("pyhexagon/llm/graph/short_conv.py", "llm/lfm2 llm/embedders"),
    ("pyhexagon/llm/graph/altup.py", "llm/gemma3n"),
    ("pyhexagon/llm/architectures/*", "llm/config llm/published llm/gemma4 llm/gemma3n llm/embedders"),
    ("pyhexagon/llm/*", "llm/llm llm/several llm/sessions llm/costs"),
    ("pyhexagon/speech/*", "speech"),
    ("pyhexagon/compat/*", "llm/compat"),
    ("pyhexagon/example.py", "models cli/run"),
    ("pyhexagon/models/*", "models llm/hub"),
    ("pyhexagon/fetch/*", "qemu/get_qemu"),
    # --- The server, the command line, boards ---
    ("pyhexagon/serve/apis/requests.py", "serve/interface serve/serve"),
    ("pyhexagon/serve/http/schema.py", "serve/schema serve/interface serve/openapi"),
    ("pyhexagon/serve/apis/*_schema.py", "serve/schema serve/interface serve/openapi"),
    ("pyhexagon/serve/apis/embedding.py", "serve/embedding_fields serve/schema serve/openapi"),
    ("pyhexagon/serve/apis/ollama.py", "serve/ollama serve/models"),
    ("pyhexagon/serve/apis/shape.py", "serve/anthropic serve/tool_calls"),
    ("pyhexagon/serve/apis/response*", "serve/responses serve/clients_requests"),
    ("pyhexagon/serve/apis/tools.py", "serve/tool_calls"),
    ("pyhexagon/llm/chat/tool_calls.py", "llm/call_formats serve/tool_calls"),
    ("pyhexagon/llm/chat/formats/*", "llm/call_formats serve/tool_calls"),
    ("pyhexagon/serve/page/*.py", "unit/page_markdown unit/page_script serve/markdown serve/highlighting"),
    ("pyhexagon/serve/page/page*", "unit/page_script serve/page serve/page_layout"),
    ("pyhexagon/serve/page/*.css", "serve/page_layout serve/page serve/page_images"),
    ("pyhexagon/serve/page/scripts/*",
     "unit/page_script serve/page serve/page_messages serve/page_storage serve/page_images"),
    ("pyhexagon/serve/models/pool*", "serve/models serve/image_models"),
    ("pyhexagon/serve/models/load*", "serve/models serve/image_models"),
    ("pyhexagon/serve/http/limits.py", "serve/load serve/limits"),
    ("pyhexagon/serve/http/[cgkpt]*", "serve/connections serve/timeouts serve/limits"),
    ("pyhexagon/serve/*", "serve/serve serve/interface serve/limits serve/load"),
    ("pyhexagon/serve/*", "serve/models serve/ollama serve/responses serve/tool_calls"),
    ("pyhexagon/cluster/*", "cluster"),
    ("pyhexagon/cli/*config_file.py", "cli/config_file"),
    ("pyhexagon/cli/bench*", "cli/bench cli/bench_model cli/bench_timeline"),
    ("pyhexagon/cli/chat*", "cli/chat"),
    ("pyhexagon/cli/cluster*", "cluster/cluster"),
    ("pyhexagon/cli/deploy.py", "deploy/ssh deploy/deploy"),
    ("pyhexagon/cli/doctor.py", "doctor/boards"),
    ("pyhexagon/cli/logs.py", "conformance/logs"),
    ("pyhexagon/cli/ops.py", "cli/ops_report cli/ops_packets"),
    ("pyhexagon/cli/on_board.py", "deploy/on_board"),
    ("pyhexagon/cli/output.py", "cli/streams cli/show"),
    ("pyhexagon/cli/__init__.py", "cli/llama_flags cli/bare_python"),
    ("pyhexagon/cli/*", "cli/cli cli/completion cli/config_file cli/run cli/show"),
    ("pyhexagon/bench/*", "cli/bench cli/bench_model cli/bench_silicon"),
    ("pyhexagon/bench/*", "cli/bench_timeline cli/tune unit/cycles unit/sensors"),
    ("pyhexagon/errors/causes.py", "doctor/causes"),
    ("pyhexagon/doctor/firmware.py", "doctor/shell"),
    ("pyhexagon/doctor/shell.py", "doctor/shell doctor/boards"),
    ("pyhexagon/doctor/*", "doctor"),
    ("pyhexagon/deployed.py", "deploy/on_board"),
    ("pyhexagon/deploy/systemd_unit.py", "deb/unit deploy/service"),
    ("pyhexagon/deploy/lock.json", "deploy/lock"),
    ("pyhexagon/deploy/uploads.py", "unit/uploads"),
    ("pyhexagon/deploy/*", "deploy/ssh deploy/interrupted deploy/deploy deploy/on_board"),
    ("pyhexagon_command/*", "cli/cli cli/ctrl_c"),
    # --- What is not the product ---
    ("CMakeLists.txt", "audit/rebuild audit/hexagon_sdk audit/host_libraries wheels"),
    ("pyproject.toml", "unit/metadata unit/constraints unit/extras wheels"),
    ("README.md", "unit/bare"),
    ("CONTRIBUTING.md", "audit/contributing"),
    ("docs/agents.md", "unit/agents_page serve/agents"),
    ("docs/*", "audit/docs_site audit/tables"),
    ("benchmarks/*", "benchmarks"),
    ("scripts/*stor*", "llm/stories"),
    ("scripts/build-deb", "deb"),
    ("scripts/deb/*", "deb"),
    ("scripts/build-wheels", "unit/build_wheels wheels"),
    ("scripts/*lock*", "unit/locks deploy/lock"),
    ("scripts/constraints.txt", "unit/constraints"),
    ("scripts/docs*", "audit/docs_site"),
    ("scripts/record_selftest.py", "unit/selftest_cases"),
    ("scripts/sbom.py", "unit/sbom"),
    ("scripts/*bare*", "unit/bare"),
    ("scripts/mutants", "unit/touched"),
    ("scripts/*", "unit/scripts"),
    ("tests/bridge/*", "wheels/bridge"),
    ("tests/mutants/*", "unit/touched"),
    ("tests/repacking/*", "unit/quants memory/every_type"),
    ("tests/touched.py", "unit/touched"),
    ("tests/needs.py", "unit/scripts"),
)
_OTHERS: Final = "conformance/device conformance/programs unit/start unit/names"  # of a file that no row matches


@cache
def _ops() -> dict[str, str]:
    """Return the kind of each op of idl/ops.h, by name."""
    return dict(_OP_ROW.findall((ROOT / "idl/ops.h").read_text(encoding="utf-8")))


def _tests_of_op(name: str) -> list[str]:
    kind, function = _ops()[name], _NUMPY_NAMES.get(name, name)
    own = "ops/test_elementwise.py::Test_" + name if kind in ("UNARY", "BINARY") else f"ops/test_{function}.py"
    tests = [own] if (ROOT / "tests" / own.partition("::")[0]).exists() else []
    edges = (ROOT / "tests/ops/test_parameter_edges.py").read_text(encoding="utf-8")
    tests += [f"ops/test_parameter_edges.py::test_{name}"] if f"def test_{name}(" in edges else []
    return [*tests, f"ops/test_cases.py::test_results_are_near_float64[{function}]"]


def _own_tests(path: str) -> list[str]:
    """Return the tests of an op's file; the file of tests with a module's name; or those of a file of the tests:
    itself, or all tests of its folder.
    """
    op = _OP.fullmatch(path)
    if op is not None and op[1] in _ops():
        return _tests_of_op(op[1])
    if module := _MODULE.fullmatch(path):
        namesake = f"{module[1] or 'unit'}/test_{module[2]}.py"
        return [namesake] if (ROOT / "tests" / namesake).exists() else []
    room, _, name = path.removeprefix("tests/").rpartition("/")
    if not path.startswith("tests/") or room == "mutants":
        return []
    if name.startswith("test_") and name.endswith(".py"):
        return [path.removeprefix("tests/")]
    return [room.partition("/")[0]] if room else ["unit"]


def file_of(name: str) -> str:
    """Return the file, or the folder, that a row names, relative to tests/."""
    room, _, test = name.partition("/")
    return f"{room}/test_{test}.py" if test else room


def _files(test: str) -> list[str]:
    """Return the files of a folder; a file or a single test stays as it is."""
    folder = ROOT / "tests" / test
    if not folder.is_dir():
        return [test]
    return sorted(str(path.relative_to(ROOT / "tests")) for path in folder.rglob("test_*.py"))


def tests_of(path: str) -> list[str]:
    """Return pytest's arguments for the tests that a change to a file concerns, those most likely to fail first.

    Args:
        path: of the file, relative to the checkout.

    Returns:
        Files or single tests, relative to the checkout; empty for a file that has none, such as LICENSE.
    """
    tests = _own_tests(path)
    for pattern, names in ROWS:
        if fnmatchcase(path, pattern):
            tests += map(file_of, names.split())
    if not tests and path.startswith("pyhexagon/"):
        tests += map(file_of, _OTHERS.split())
    return [f"tests/{one}" for test in dict.fromkeys(tests) for one in _files(test)]
