# SPDX-License-Identifier: MIT
"""The walk: look, build, copy, install, try, switch, tidy up.

Everything on the board happens below one folder, in a folder of the version's own, so that the current version is not
touched before the one rename that makes the new one current. Each step finds out what is already done; a deploy that
was cut off is finished by the next.
"""

from __future__ import annotations

import re
import secrets
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

from pyhexagon.deploy import verdict
from pyhexagon.deploy.connection import Answer, Connection, StepFailed
from pyhexagon.deploy.service import LOCAL, NAME, Service, mark
from pyhexagon.deploy.verdict import Failure
from pyhexagon.deploy.wheel import MACHINES, Package, Wheel, build, build_script, dependencies, total
from pyhexagon.errors import DeployError

PREFIX: Final = "~/.local/share/pyhexagon"
OLDEST_PYTHON: Final = (3, 10)
DOCTOR: Final = "doctor and self test on {}"
_CHUNK: Final = 1 << 16
_SHORT: Final = 330.0  # seconds for a step that only waits for its turn
_COPY: Final = 3600.0
_INSTALL: Final = 1800.0
_TRY: Final = 900.0
_START: Final = 900  # for the service to load its model
_FULL: Final = re.compile(r"No space left on device|Disk quota exceeded|File too large")
_NO_INDEX: Final = re.compile(r"No matching distribution|NewConnectionError|NameResolutionError")


class DeployStep(Protocol):
    """A step that is shown."""

    def note(self, text: str) -> None:
        """What the step is at."""

    def progress(self, done: int, total: int) -> None:
        """Bytes."""

    def result(self, text: str) -> None:
        """What came out."""


class Screen(Protocol):
    """Shows a deploy."""

    def step(self, title: str, *, asks: bool = False) -> AbstractContextManager[DeployStep]:
        """A step begins; one that ``asks`` may need the terminal for itself."""


@dataclass(frozen=True)
class BoardFacts:
    """What there is on the board."""

    values: Mapping[str, str]

    @property
    def current(self) -> str:
        """Folder of the current version, or ""."""
        return self.values["current"].removeprefix("versions/")

    def check(self, host: str) -> None:
        """Raises DeployError when something is missing that a deploy needs."""
        if "missing" in self.values:
            hint = "on the board: sudo apt install util-linux coreutils"
            raise DeployError(f"{host} has no {self.values['missing']}", hint=hint)
        if self.values["machine"] not in MACHINES:
            raise DeployError(f"{host} is a {self.values['machine']}; there are wheels for {', '.join(MACHINES)}")
        python = self.values.get("python", "")
        install = "on the board: sudo apt update && sudo apt install python3 python3-venv"
        if not python:
            raise DeployError(f"{host} has no python3", hint=install)
        if tuple(map(int, python.split(".")[:2])) < OLDEST_PYTHON:
            raise DeployError(f"{host} has Python {python}; 3.10 or newer is needed", hint="upgrade the board's system")
        if "venv" not in self.values:
            raise DeployError(f"Python {python} on {host} cannot make virtual environments", hint=install)


@dataclass
class Deployment:
    """What a deploy did.

    Attributes:
        version: name of the version's folder.
        command: the current version's command on the board.
        copied: bytes that were sent.
        installed: whether it was installed by this deploy.
        switched: whether it became current by this deploy.
        not_ready: what keeps the board's DSP from working; None when all works.
        url: where the service answers, as seen on the board; None: there is none, or it was not started.
        keys: the file on the board that holds the keys of the service's clients, if they need one.
        started: whether this deploy started the service, or started it anew.
    """

    host: str
    version: str = ""
    command: str = ""
    copied: int = 0
    installed: bool = False
    switched: bool = False
    not_ready: Failure | None = None
    url: str | None = None
    started: bool = False
    keys: str | None = None


@dataclass
class Deploy:
    """Deploys to a board.

    Args:
        host: as ssh takes it.
        screen: where progress is shown.
        ssh: options for ssh.
        wheel: the wheel's file; None builds the one for the board's machine.
        prefix: folder on the board; not absolute means below the home directory.
        device: what the doctor and the self test run on.
        offline: also bring what the wheel depends on.
        service: what is served there from then on; None: what is served already, if anything.
        cluster: also bring what a board of a cluster needs; what a board has of it stays.
    """

    host: str
    screen: Screen
    ssh: Sequence[str] = ()
    wheel: Path | None = None
    prefix: str = PREFIX
    device: str = "cdsp"
    offline: bool = False
    service: Service | None = None
    cluster: bool = False
    _connection: Connection = field(init=False)

    def __post_init__(self) -> None:
        self._connection = Connection(self.host, self.ssh, self.prefix)

    def run(self) -> Deployment:
        """Deploys.

        Raises:
            DeployError: nothing became current.
            ArgumentError: the wheel or the host is none.
        """
        given = None if self.wheel is None else Wheel.read(self.wheel)
        if given is None:
            build_script()
        model = None
        if self.service is not None and Path(self.service.model).is_file():
            with self.screen.step("read the model") as step:
                model = Package.of(Path(self.service.model))
                step.result(f"{model.path.name}, {_mib(model.size)}")
        with ExitStack() as stack:
            with self.screen.step("connect", asks=True) as step:
                stack.enter_context(self._connection)
                step.result(self.host)
            board = self._look()
            model_there = "" if self.service is None else self._check_service(self.service, model, board)
            new = given or self._build(board.values["machine"])
            serve = self.service is not None or "service" in board.values
            new = new.able(serve=serve, cluster=self.cluster or board.current.endswith("-cluster"))
            if new.machine != board.values["machine"]:
                machine = board.values["machine"]
                raise DeployError(f"{new.package.path.name} is for {new.machine}; {self.host} is {machine}")
            outcome = Deployment(self.host, new.folder)
            try:
                stack.enter_context(self._connection.lock())
                board = BoardFacts(self._step("probe"))  # another deploy may have ended meanwhile
                keep = [] if model is None else [model.sha256]
                self._bring(new, board, outcome, keep)
                self._try(new, board, outcome)
                self._switch(new, board, outcome, keep)
                if self.service is not None:
                    self._serve(self.service, model, model_there, board, outcome)
                elif url := board.values.get("service"):
                    self._restart(url, outcome)
            except StepFailed as failed:
                raise self._explain(failed) from None
        return outcome

    def remove_service(self) -> bool:
        """Ends what is served on the board, and removes it: its unit, its keys and the models that were brought.

        Returns:
            whether there was a service.
        """
        with ExitStack() as stack:
            with self.screen.step("connect", asks=True) as step:
                stack.enter_context(self._connection)
                step.result(self.host)
            with self.screen.step("remove the service") as step:
                stack.enter_context(self._connection.lock())
                removed = "removed" in self._step("unserve")
                step.result("done" if removed else "nothing to do: there is none")
        return removed

    def _step(self, name: str, *arguments: str, timeout: float = _SHORT) -> Mapping[str, str]:
        return self._connection.run(name, *arguments, timeout=timeout).values

    def _look(self) -> BoardFacts:
        with self.screen.step("look at the board") as step:
            board = BoardFacts(self._step("probe"))
            board.check(self.host)
            values = board.values
            step.result(
                f"{values['machine']}, Python {values['python']}, {values['glibc']}, "
                f"{board.current or 'no version'} in {values['prefix']}"
            )
        return board

    def _build(self, machine: str) -> Wheel:
        with self.screen.step("build the wheel") as step:
            built = build(machine, step.note)
            step.result(built.package.path.name)
        return built

    def _bring(self, new: Wheel, board: BoardFacts, outcome: Deployment, keep: Sequence[str]) -> None:
        """Copies and installs what is not there yet; uploads named ``keep`` stay."""
        if "whole" in self._step("whole", new.folder) and self._starts(new.folder):
            with self.screen.step("copy and install") as step:
                step.result(f"nothing to do: {new.folder} is installed")
            return
        with ExitStack() as stack:
            packages = [new.package]
            if self.offline:
                folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="pyhexagon-")))
                with self.screen.step("fetch what it needs") as step:
                    packages += dependencies(new, board.values["python"], board.values["glibc"], folder)
                    step.result(f"{len(packages) - 1} packages, {_mib(total(packages[1:]))}")
            self._step("clean", new.folder, *(package.sha256 for package in packages), *keep)
            with self.screen.step("copy") as step:
                outcome.copied = self._copy(packages, step)
        with self.screen.step("install") as step:
            options = ["--no-index"] if self.offline else []
            options += [f"--find-links=uploads/{package.sha256}" for package in packages[1:]]
            file = f"{new.package.sha256}/{new.package.path.name}{new.brackets}"
            self._connection.run("install", new.folder, file, *options, timeout=_INSTALL, note=step.note)
            outcome.installed = True
            step.result(new.folder)

    def _copy(self, packages: Sequence[Package], step: DeployStep) -> int:
        """Sends what has not arrived yet; returns the number of bytes."""
        names = [(package.sha256, package.path.name) for package in packages]
        have = [self._step("have", *name) for name in names]
        offsets = [_offset(values["have"], package) for values, package in zip(have, packages, strict=True)]
        everything = total(packages)
        missing = everything - sum(offsets)
        self._check_space(have[-1]["space"], missing + sum(package.unpacked for package in packages))
        done = everything - missing
        for package, name, values, offset in zip(packages, names, have, offsets, strict=True):
            if values["have"] == "whole":
                continue

            def moved(position: int, before: int = done - offset) -> None:
                step.progress(before + position, everything)

            self._send(package, name, offset, moved)
            done += package.size - offset
        resumed = f", {_mib(everything - missing)} were there" if missing < everything else ""
        step.result(f"{_mib(missing)} in {len(packages)} file{'s' if len(packages) > 1 else ''}{resumed}")
        return missing

    def _send(
        self, package: Package, name: tuple[str, str], offset: int, progress: Callable[[int], None]
    ) -> None:
        """Sends a file from ``offset`` on; when that does not give the file, once more from its start."""
        for start in (offset, 0):
            content = _pieces(package.path, start, progress)
            self._connection.run("receive", *name, timeout=_COPY, content=content)
            if "arrived" in self._step("arrived", *name, str(package.size)):
                return
        raise DeployError(f"{package.path.name} did not arrive on {self.host} as it was sent (size and SHA-256 differ)")

    def _starts(self, version: str) -> bool:
        try:
            self._run(version, "--version")
        except StepFailed:
            return False
        return True

    def _run(self, version: str, *arguments: str, good: Sequence[int] = (0,)) -> Answer:
        return self._connection.run("run", version, *arguments, timeout=_TRY, good=good)

    def _try(self, new: Wheel, board: BoardFacts, outcome: Deployment) -> None:
        """Raises DeployError when the version must not become current."""
        with self.screen.step("try it without the DSP") as step:
            self._run(new.folder, "--version")
            failure = self._self_test(new.folder, "loopback")
            if failure is not None:
                raise DeployError(f"the self test of {new.folder} fails on {self.host}: {failure.finding}")
            step.result("self test passed on the loopback")
        with self.screen.step(DOCTOR.format(self.device)) as step:
            failure = self._works(new.folder)
            if failure is not None:
                self._judge(failure, new, board)
            outcome.not_ready = failure
            step.result("passed" if failure is None else f"{failure.check}: {failure.finding}")

    def _works(self, version: str) -> Failure | None:
        """What a version fails at on the device."""
        doctor = self._run(version, "doctor", "--device", self.device, "--json", good=(0, 1))
        failure = verdict.of_doctor(doctor)
        if failure is None and self.device != "loopback":  # where the self test has been run
            failure = self._self_test(version, self.device)
        return failure

    def _self_test(self, version: str, device: str) -> Failure | None:
        return verdict.of_selftest(self._run(version, "selftest", "--device", device, "--json", good=(0, 1)))

    def _judge(self, failure: Failure, new: Wheel, board: BoardFacts) -> None:
        current = board.current
        of_current: Failure | None = None
        if current and current != new.folder:
            try:
                of_current = self._works(current)
            except DeployError as error:
                of_current = Failure("", str(error), "", failure.order)
        if current != new.folder and failure.is_the_versions_fault(of_current, is_first=not current):
            kept = f"{current} stays current" if current else "it did not become current"
            raise DeployError(
                f"{new.folder} fails on {self.host} at {failure.check}: {failure.finding}; {kept}",
                hint=failure.remedy,
            )

    def _switch(self, new: Wheel, board: BoardFacts, outcome: Deployment, keep: Sequence[str]) -> None:
        with self.screen.step("make it current") as step:
            self._step("switch", new.folder)
            self._step("clean", *keep)
            outcome.switched = board.current != new.folder
            outcome.command = f"{board.values['prefix']}/current/bin/pyhexagon"
            step.result(new.folder if outcome.switched else f"nothing to do: {new.folder} is current")

    def _check_service(self, service: Service, model: Package | None, board: BoardFacts) -> str:
        """Raises DeployError when the board cannot have the service; the model's file there, unless it is brought."""
        with self.screen.step("look whether it can serve") as step:
            found = "" if model else self._step("find", service.model).get("found", "")
            if model is None and not found:
                raise DeployError(f"there is no model {service.model}, neither here nor on {self.host}")
            service.unit(board.values["prefix"], found, has_keys=False)
            can = self._step("can_serve", service.host, str(service.port))
            if tool := can.get("missing"):
                raise DeployError(f"{self.host} has no {tool}: a service needs systemd")
            if told := can.get("manager"):
                raise DeployError(
                    f"the systemd of {can['user']} on {self.host} does not answer: {told}",
                    hint="on the board: sudo apt install libpam-systemd dbus-user-session; then log in again",
                )
            if "linger" not in can:
                raise DeployError(
                    f"{can['user']} on {self.host} may not have services that run without a login: {can['refusal']}",
                    hint=f"on the board: sudo loginctl enable-linger {can['user']}"
                    " (or sudo apt install polkitd: then users decide it for themselves)",
                )
            if told := can.get("port"):
                raise DeployError(
                    f"nothing can listen to {service.host}, port {service.port} on {self.host}: {told}",
                    hint="another port: --serve-options '--port N'; who has it: ss -ltnp on the board",
                )
            step.result(f"as {can['user']}, at {service.url}")
        return found

    def _bring_model(self, model: Package, prefix: str) -> str:
        """The file's name on the board."""
        name = (model.sha256, model.path.name)
        with self.screen.step("copy the model") as step:
            if "model" in self._step("model", *name):
                step.result("nothing to do: it is there")
            else:
                copied = self._copy([model], step)
                self._step("keep_model", *name)
                step.result(f"{_mib(copied)} of {_mib(model.size)}")
        return f"{prefix}/models/{model.path.name}"

    def _serve(
        self, service: Service, model: Package | None, there: str, board: BoardFacts, outcome: Deployment
    ) -> None:
        prefix = board.values["prefix"]
        path = there if model is None else self._bring_model(model, prefix)
        keys = service.keys
        if not keys and "keys" not in board.values and service.host not in LOCAL:
            keys = f"{secrets.token_urlsafe(24)}\n"  # nothing is open to a network without a key
        if keys:
            self._connection.run("keys", timeout=_SHORT, content=iter([keys.encode()]))
        has_keys = bool(keys) or "keys" in board.values
        outcome.keys = f"{prefix}/api-keys" if has_keys else None
        unit = service.unit(prefix, path, has_keys=has_keys)
        what = mark(outcome.version, unit, model.sha256 if model else "")
        content = iter([unit.encode()])
        self._start("serve", service.url, what, outcome, content)
        self._step("clean_models", path.rpartition("/")[2] if model else "")

    def _restart(self, url: str, outcome: Deployment) -> None:
        """Lets what is served already run with the new version."""
        self._start("restart", url, mark(outcome.version), outcome)

    def _start(
        self, name: str, url: str, what: str, outcome: Deployment, content: Iterator[bytes] | None = None
    ) -> None:
        with self.screen.step("start the service") as step:
            done = self._connection.run(name, what, timeout=_SHORT, content=content).values
            if outcome.not_ready is not None:
                step.result("it waits for the board's DSP to work")
                return
            try:
                since = done.get("restarted", "0")
                self._connection.run("healthy", url, what, since, str(_START), timeout=_START + _SHORT)
            except StepFailed as failed:
                state = failed.values.get("state", "unknown")
                told = "; ".join(failed.told.strip().splitlines()[-4:]) or "it said nothing"
                raise DeployError(
                    f"the service on {self.host} does not come up ({state}): {told}",
                    hint=f"on the board: journalctl --user -u {NAME}",
                ) from None
            outcome.url, outcome.started = url, "restarted" in done
            step.result(url if outcome.started else f"nothing to do: it runs at {url}")

    def _check_space(self, df: str, needed: int) -> None:
        free, size = _space(df)
        if free < needed:
            raise self._full(f"{_mib(needed)} are needed at least, {_mib(free)} of {_mib(size)} are free")

    def _explain(self, failed: StepFailed) -> DeployError:
        """A better error for a step that failed; on a full disk, what was copied goes."""
        if _FULL.search(failed.told):
            values = failed.values if "space" in failed.values else self._step("probe")
            free, size = _space(values["space"])
            self._step("clean")
            return self._full(f"{_mib(free)} of {_mib(size)} were free when it stopped")
        if _NO_INDEX.search(failed.told):
            failed = StepFailed(
                failed.detail, hint="does the board reach its package index? Without one, deploy with --offline"
            )
        return failed

    def _full(self, numbers: str) -> DeployError:
        return DeployError(
            f"the disk of {self.host} is full: {numbers}",
            hint="make room (on the board: df -h; sudo apt clean), or name a folder on another disk with --prefix",
        )


def _pieces(path: Path, offset: int, progress: Callable[[int], None]) -> Iterator[bytes]:
    with path.open("rb") as file:
        file.seek(offset)
        while piece := file.read(_CHUNK):
            yield piece
            progress(file.tell())


def _offset(have: str, package: Package) -> int:
    """How much of a file need not be sent; more than the file has is not the file."""
    if have == "whole":
        return package.size
    return int(have) if int(have) <= package.size else 0


def _space(df: str) -> tuple[int, int]:
    """Free and all bytes, of a line of df -Pk."""
    numbers = re.search(r"\s(\d+)\s+\d+\s+(\d+)\s+\d+%", df)
    if numbers is None:
        raise DeployError(f"df on the board says {df!r}")
    return int(numbers[2]) << 10, int(numbers[1]) << 10


def _mib(size: int) -> str:
    return f"{size / (1 << 20):.1f} MiB"
