# SPDX-License-Identifier: MIT
"""Download packages of another Debian or Ubuntu series and unpack them, without root and without installing anything.

The mirror and its key come from the machine's own apt configuration, so proxies, local mirrors and pinned keys keep
working; apt itself downloads and checks the signatures, in a private state directory. pyhexagon get-qemu uses it, and
so do tests that need files which cannot be in this repository. It needs no other module of this package.

    python scripts/debian_package.py PACKAGE ... [--component C] [--suite S ...] [--member NAME ...]
        [--architecture A] DESTINATION
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

# The suites with newer packages, best first. Backports come before sid because their index is small.
DEBIAN_SUITES = ("trixie-backports", "sid")
UBUNTU_SUITES = ("resolute", "devel")
FIRST_COMPONENT = {"debian": "main", "ubuntu": "universe"}


class FetchError(Exception):
    """The package cannot be downloaded; the message says why."""


def _os_release() -> dict[str, str]:
    fields = {}
    for name in ("/etc/os-release", "/usr/lib/os-release"):
        if os.path.exists(name):
            for line in Path(name).read_text().splitlines():
                key, _, value = line.partition("=")
                fields[key] = value.strip("\"'")
            break
    return fields


def _deb822_stanzas(text: str) -> Iterator[dict[str, str]]:
    """Yield the stanzas of a .sources file; a field keeps its continuation lines (an inline key has many lines)."""
    for block in re.split(r"\n[ \t]*\n", text):
        fields: dict[str, str] = {}
        last = ""
        for line in block.splitlines():
            if line.startswith("#"):
                continue
            if line[:1] in " \t" and last:
                fields[last] += "\n" + line
            elif ":" in line:
                last, _, value = line.partition(":")
                last = last.strip().lower()
                fields[last] = value.strip()
        if fields:
            yield fields


def _one_line_entries(text: str) -> Iterator[dict[str, str]]:
    """Yield the entries of a .list file as stanzas."""
    for line in text.splitlines():
        match = re.match(r"\s*deb\s+(?:\[([^]]*)\]\s+)?(\S+)\s+(\S+)\s*([^#]*)", line)
        if match:
            options, uri, suite, components = match.groups()
            fields = {"types": "deb", "uris": uri, "suites": suite, "components": components}
            for option in (options or "").split():
                key, _, value = option.partition("=")
                fields[key.lower()] = value.replace(",", " ")
            yield fields


def _sources(root: Path) -> Iterator[dict[str, str]]:
    files = [root / "sources.list", *sorted((root / "sources.list.d").glob("*"))]
    for file in files:
        if file.suffix == ".sources" and file.is_file():
            yield from _deb822_stanzas(file.read_text())
        elif file.suffix == ".list" and file.is_file():
            yield from _one_line_entries(file.read_text())


def own_mirror(root: Path, codename: str, component: str) -> dict[str, str]:
    """Return the stanza of apt's configuration for the machine's own series."""
    for fields in _sources(root):
        enabled = fields.get("enabled", "yes").lower() not in ("no", "false", "0")
        if (
            enabled
            and "deb" in fields.get("types", "").split()
            and codename in fields.get("suites", "").split()
            and component in fields.get("components", "").split()
        ):
            return fields
    raise FetchError(f"no enabled apt source for {codename} {component} under {root}")


def _stanza(mirror: dict[str, str], suite: str, component: str, architecture: str) -> str:
    lines = ["Types: deb", f"URIs: {mirror['uris'].split()[0]}", f"Suites: {suite}", f"Components: {component}"]
    lines += [f"Architectures: {architecture}"] if architecture else []
    lines += [f"{key}: {mirror[key]}" for key in ("signed-by", "trusted") if key in mirror]
    return "\n".join(lines) + "\n"


def _run(command: Sequence[str], directory: Path) -> None:
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise FetchError(f"{command[0]} {command[-1]}: " + (done.stderr or done.stdout).strip()[-2000:])


def _download(packages: Sequence[str], stanza: str, architecture: str, work: Path) -> list[Path]:
    """Download the newest versions that `stanza` offers with apt; return the .deb files."""
    for name in ("state/lists/partial", "cache/archives/partial", "sources.d", "deb"):
        (work / name).mkdir(parents=True)
    (work / "sources.d/private.sources").write_text(stanza)
    (work / "state/status").touch()
    options: dict[str, str | Path] = {
        "Dir::State": work / "state",
        "Dir::State::Lists": work / "state/lists",
        "Dir::State::status": work / "state/status",
        "Dir::Cache": work / "cache",
        "Dir::Etc::SourceList": "/dev/null",
        "Dir::Etc::SourceParts": work / "sources.d",
        "Dir::Etc::Preferences": "/dev/null",
        "Dir::Etc::PreferencesParts": "/dev/null",
        "Acquire::Languages": "none",
        "APT::Sandbox::User": "root",  # otherwise root's apt downloads as a user without access to this directory
    }
    if architecture:
        options |= {"APT::Architecture": architecture, "APT::Architectures": architecture}
    apt = ["apt-get", "-q", *(word for key, value in options.items() for word in ("-o", f"{key}={value}"))]
    _run([*apt, "update"], work)
    _run([*apt, "download", *packages], work / "deb")
    return sorted((work / "deb").glob("*.deb"))


def _link(destination: Path, relative: Path, to: str) -> None:
    """Create a symbolic link of a package, unless it leads out of the destination."""
    if not os.path.isabs(to) and not os.path.normpath(relative.parent / to).startswith(".."):
        (destination / relative).parent.mkdir(parents=True, exist_ok=True)
        (destination / relative).symlink_to(to)


def _unpack(deb: Path, members: Sequence[str], destination: Path) -> None:
    """Extract files and links of `deb`, or only the files whose base name is in `members` (then without folders)."""
    with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", str(deb)], stdout=subprocess.PIPE) as unpacker:
        assert unpacker.stdout is not None
        with tarfile.open(fileobj=unpacker.stdout, mode="r|") as archive:
            for entry in archive:
                relative = Path(entry.name)
                if relative.is_absolute() or ".." in relative.parts:
                    continue
                if entry.issym() and not members:
                    _link(destination, relative, entry.linkname)
                if not entry.isfile():
                    continue
                if members and relative.name not in members:
                    continue
                target = destination / (relative.name if members else relative)
                target.parent.mkdir(parents=True, exist_ok=True)
                source = archive.extractfile(entry)
                assert source is not None
                with source, open(target, "wb") as out:
                    shutil.copyfileobj(source, out)
                target.chmod(entry.mode & 0o755 | 0o600)
    if unpacker.returncode != 0:
        raise FetchError(f"dpkg-deb could not unpack {deb.name}")


def fetch(
    packages: Sequence[str],
    destination: Path,
    *,
    component: str | None = None,
    suites: Sequence[str] = (),
    members: Sequence[str] = (),
    architecture: str = "",
) -> Path:
    """Unpack packages of one suite into `destination`, which appears complete or not at all.

    Args:
        packages: the binary packages' names.
        destination: a directory; if it exists, nothing is done.
        component: archive component; the distribution's large free one by default.
        suites: tried in order; newer series of the distribution by default.
        members: base names of the files to keep, flat; all files with their folders by default.
        architecture: as Debian calls it (arm64); the machine's own by default.
    Raises:
        FetchError: apt, the network or the package is missing; the message says which.
    """
    if destination.is_dir():
        return destination
    for tool in ("apt-get", "dpkg-deb"):
        if shutil.which(tool) is None:
            raise FetchError(f"{tool} is not installed; this needs Debian 12 or later, or Ubuntu 24.04 or later")
    release = _os_release()
    family = "ubuntu" if "ubuntu" in (release.get("ID", "") + " " + release.get("ID_LIKE", "")).split() else "debian"
    codename = release.get("UBUNTU_CODENAME" if family == "ubuntu" else "VERSION_CODENAME", "sid")
    mirror = own_mirror(Path("/etc/apt"), codename, "main")
    destination.parent.mkdir(parents=True, exist_ok=True)
    reasons = []
    for suite in suites or (UBUNTU_SUITES if family == "ubuntu" else DEBIAN_SUITES):
        with tempfile.TemporaryDirectory(dir=destination.parent, prefix=".fetch-") as name:
            work = Path(name)
            try:
                stanza = _stanza(mirror, suite, component or FIRST_COMPONENT[family], architecture)
                (work / "out").mkdir()
                for deb in _download(packages, stanza, architecture, work):
                    _unpack(deb, members, work / "out")
            except FetchError as error:
                reasons.append(f"{suite}: {error}")
                continue
            missing = [member for member in members if not (work / "out" / member).exists()]
            if missing:
                reasons.append(f"{suite}: {' '.join(packages)} has no {', '.join(missing)}")
                continue
            try:
                (work / "out").rename(destination)
            except OSError:
                if not destination.is_dir():  # otherwise another process was faster
                    raise
            return destination
    raise FetchError(f"cannot fetch {' '.join(packages)}:\n  " + "\n  ".join(reasons))


def main() -> int:
    """Run the command line; print the directory."""
    parser = argparse.ArgumentParser(description="fetch and unpack packages of another series, without root")
    parser.add_argument("package", nargs="+")
    parser.add_argument("destination", type=Path)
    parser.add_argument("--component")
    parser.add_argument("--suite", action="append", default=[])
    parser.add_argument("--member", action="append", default=[])
    parser.add_argument("--architecture", default="")
    args = parser.parse_args()
    try:
        path = fetch(
            args.package,
            args.destination.absolute(),
            component=args.component,
            suites=args.suite,
            members=args.member,
            architecture=args.architecture,
        )
    except FetchError as error:
        print(f"debian_package: {error}", file=sys.stderr)
        return 1
    print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
