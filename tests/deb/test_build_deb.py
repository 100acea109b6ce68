# SPDX-License-Identifier: MIT
"""scripts/build-deb: what is in a package, and how a system that systemd boots installs, runs and removes it."""

from __future__ import annotations

import gzip
import json
import platform
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import needs
import pytest
from deploy import booted, stub
from deploy.boards import wait_until
from deploy.booted import Booted
from serve.serving import model

LOCK = json.loads((needs.ROOT / "pyhexagon/deploy/lock.json").read_text())
MDURL = json.dumps({"llm": [one for one in LOCK["llm"] if one["name"] == "mdurl"]})
ARCHITECTURE = {"aarch64": "arm64", "x86_64": "amd64"}[platform.machine()]
VISIBLE = (  # the Python of the tests, which the stub runs, may be in a home directory or in /tmp
    "ProtectHome=read-only",
    *(f"BindReadOnlyPaths={folder}" for folder in sorted({str(needs.ROOT), sys.prefix, sys.base_prefix})),
)


def build(wheel: Path, python: str, out: Path) -> Path:
    """Build a package."""
    needs.require("dpkg-deb")
    script = needs.ROOT / "scripts/build-deb"
    command: list[str | Path] = [sys.executable, script, wheel, "--python", python, "--out", out]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (path,) = done.stdout.split()
    return Path(path)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A stub that needs one package, and another Python than that of the tests."""
    needs_mdurl = "Requires-Python: >=3.99\nProvides-Extra: llm\nRequires-Dist: mdurl; extra == 'llm'\n"
    return stub.small(tmp_path_factory.mktemp("wheel"), "0.2", metadata=needs_mdurl, lock=MDURL)


def test_a_package_has_the_wheel_its_dependencies_and_the_service(wheel: Path, tmp_path: Path) -> None:
    package = build(wheel, "3.12", tmp_path / "out")
    assert package.name == f"pyhexagon_0.2+python3.12_{ARCHITECTURE}.deb"
    assert [path.name for path in (tmp_path / "out").iterdir()] == [package.name]

    root = tmp_path / "root"
    subprocess.run(["dpkg-deb", "--raw-extract", package, root], check=True)
    site = root / "opt/pyhexagon/lib/python3.12/site-packages"
    assert (site / "pyhexagon/__init__.py").is_file()
    assert (site / "mdurl/__init__.py").is_file()
    assert (root / "usr/bin/pyhexagon").readlink() == Path("/opt/pyhexagon/bin/pyhexagon")
    assert (root / "opt/pyhexagon/bin/pyhexagon").read_text().startswith("#!/opt/pyhexagon/bin/python3 -I\n")
    assert (root / "opt/pyhexagon/bin/python3").readlink() == Path("/usr/bin/python3.12")
    unit = root / "usr/lib/systemd/system/pyhexagon.service"
    assert unit.read_text() == (needs.ROOT / "scripts/deb/pyhexagon.service").read_text()
    page = gzip.decompress((root / "usr/share/man/man1/pyhexagon.1.gz").read_bytes()).decode()
    assert "\\-\\-temp" in page
    assert "smollm2" in page
    assert "--json-schema" in (root / "usr/share/bash-completion/completions/pyhexagon").read_text()
    control = (root / "DEBIAN/control").read_text()
    assert f"\nArchitecture: {ARCHITECTURE}\n" in control
    assert "python3 (>= 3.12), python3 (<< 3.13~)" in control

    files = [path for path in root.rglob("*") if path.is_file() and not path.is_symlink()]
    for path in files:
        assert path.stat().st_mode & 0o022 == 0, path  # nobody but root may write it
        for folder in (str(needs.ROOT), sys.prefix):
            # The stub runs the Python of the tests on purpose.
            assert folder.encode() not in path.read_bytes() or path == site / "pyhexagon/__init__.py", path
    sums = dict(line.split("  ")[::-1] for line in (root / "DEBIAN/md5sums").read_text().splitlines())
    assert sums.keys() == {str(path.relative_to(root)) for path in files if path.parent.name != "DEBIAN"}


def test_scripts_of_the_package_are_posix_shell() -> None:
    for name in ("postinst", "prerm", "postrm"):
        subprocess.run(["sh", "-n", needs.ROOT / "scripts/deb" / name], check=True)


def test_what_is_no_wheel_is_refused_in_one_line(tmp_path: Path) -> None:
    command: list[str | Path] = [sys.executable, needs.ROOT / "scripts/build-deb", "other.whl", "--out", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "build-deb: other.whl is not the name of a pyhexagon wheel\n")


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Booted]:
    python = Path(sys.base_prefix)
    own = [] if python.is_relative_to("/usr") else [python]
    with booted.running(tmp_path_factory.mktemp("deb") / "board", needs.ROOT, Path(sys.prefix), *own) as one:
        yield one


def as_root(board: Booted, script: str) -> str:
    """Run a shell script as root of the board, and return its output."""
    (machine,) = board.machine
    first = Path(f"/proc/{machine.pid}/task/{machine.pid}/children").read_text().split()[0]
    command = ["nsenter", f"--target={first}", "--all", "sh", "-euc", script]
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stdout + done.stderr
    return (done.stdout + done.stderr).strip()


def test_a_system_installs_it_serves_and_removes_it(board: Booted, wheel: Path) -> None:
    """systemd applies the unit's restrictions to the real server."""
    version = subprocess.run(
        ["/usr/bin/python3", "-c", "import sys; print('%d.%d' % sys.version_info[:2])"],
        capture_output=True, text=True, check=True,
    ).stdout.strip()  # fmt: skip
    package = build(wheel, version, board.folder)
    told = as_root(board, f"dpkg --install {shlex.quote(str(package))}")
    assert "Setting up pyhexagon" in told
    assert as_root(board, "/usr/bin/pyhexagon --version") == "pyhexagon 0.2"
    assert as_root(board, "systemctl is-enabled pyhexagon || true") == "disabled"
    groups = as_root(board, "id -nG pyhexagon").split()
    assert {"pyhexagon", "fastrpc", "render"} == set(groups)

    shutil.copy(model(board.folder), board.folder / "m.gguf")
    as_root(
        board,
        f"""
        install -d -m 750 -o pyhexagon -g pyhexagon /var/lib/pyhexagon
        install -m 640 -o pyhexagon -g pyhexagon {shlex.quote(str(board.folder))}/m.gguf /var/lib/pyhexagon
        echo 'PYHEXAGON_SERVE="m.gguf -c 64 --device loopback --port 8090"' > /etc/default/pyhexagon
        mkdir -p /etc/systemd/system/pyhexagon.service.d
        printf '%s\\n' '[Service]' {shlex.join(VISIBLE)} > /etc/systemd/system/pyhexagon.service.d/test.conf
        systemctl daemon-reload
        systemctl enable --now pyhexagon
        """,
    )
    ask = """python3 -c '
import json, urllib.request
body = {"messages": [{"role": "user", "content": "once"}], "max_tokens": 4}
request = urllib.request.Request("http://127.0.0.1:8090/v1/chat/completions", json.dumps(body).encode())
request.add_header("content-type", "application/json")
print(json.load(urllib.request.urlopen(request, timeout=60))["usage"]["completion_tokens"])' 2> /dev/null || true"""

    def answers() -> bool:
        n_restarts = as_root(board, "systemctl show --value --property=NRestarts pyhexagon")
        assert n_restarts == "0", as_root(board, "journalctl --unit=pyhexagon --output=cat")
        return as_root(board, ask) == "4"

    wait_until(answers)
    pid = as_root(board, "systemctl show --value --property=MainPID pyhexagon")
    status = as_root(board, f"cat /proc/{pid}/status")
    assert re.search(r"^NoNewPrivs:\t1$", status, re.MULTILINE)
    assert re.search(r"^Seccomp:\t2$", status, re.MULTILINE)
    assert re.search(r"^CapBnd:\t0+$", status, re.MULTILINE)
    assert "EPERM" not in as_root(board, "journalctl --unit=pyhexagon --output=cat")

    as_root(board, "dpkg --purge pyhexagon")
    assert as_root(board, "ls -d /opt/pyhexagon /usr/bin/pyhexagon /var/lib/pyhexagon 2> /dev/null || true") == ""
