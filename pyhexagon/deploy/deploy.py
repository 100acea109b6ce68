# SPDX-License-Identifier: MIT
"""The steps of a deploy: inspect the board, build, copy, install, test, switch, clean up.

Everything on the board happens below one folder, and each version has a folder of its own, so the current version is
untouched until one rename makes the new one current. Each step checks what is already done; the next deploy finishes
an interrupted one.
"""

from __future__ import annotations

import re
import secrets
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from pyhexagon.deploy import verdict
from pyhexagon.deploy.answers import Answer
from pyhexagon.deploy.connection import Connection, StepFailed
from pyhexagon.deploy.deployment import BoardFacts, Deployment, Screen
from pyhexagon.deploy.systemd_unit import LOCAL, NAME, SANDBOX, Service, mark
from pyhexagon.deploy.uploads import SHORT, Uploads, check_names, mib, read_kernels, space
from pyhexagon.deploy.verdict import Failure
from pyhexagon.deploy.wheel import Package, Wheel, build, build_script, dependencies, total
from pyhexagon.deployed import PREFIX
from pyhexagon.errors import DeployError
from pyhexagon.process.locate import CPU_NAMES

DOCTOR: Final = "doctor and self test on {}"
_INSTALL: Final = 1800.0
_TRY: Final = 900.0
_START: Final = 900  # seconds for the service to load its model
_FULL: Final = re.compile(r"No space left on device|Disk quota exceeded|File too large")
_OTHER_FILES: Final = re.compile(r"DO NOT MATCH THE HASHES|HashMismatch")
_NO_INDEX: Final = re.compile(r"No matching distribution|NewConnectionError|NameResolutionError")


@dataclass
class Deploy:
    """Deploys to a board.

    Args:
        host: [USER@]HOST, or a name of ~/.ssh/config.
        screen: shows the progress.
        ssh: options for ssh.
        wheel: the wheel's file; None builds the one for the board's machine.
        prefix: the folder on the board; a relative path is below the home directory.
        device: the devices for the doctor and the self test, separated by commas.
        offline: also copy the wheel's dependencies.
        service: the service to run from then on; None keeps the present one, if any.
        cluster: also install the cluster's dependencies; an installation that has them keeps them.
        kernels: saved user kernels (.phxk) to copy; those that are there stay.
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
    kernels: Sequence[Path] = ()
    _connection: Connection = field(init=False)
    _uploads: Uploads = field(init=False)

    def __post_init__(self) -> None:
        self._connection = Connection(self.host, self.ssh, self.prefix)
        self._uploads = Uploads(self._connection)

    def run(self) -> Deployment:
        """Deploy the wheel.

        Raises:
            DeployError: no version became current.
            ArgumentError: the wheel, the host or a kernel is invalid. KernelError: a kernel is damaged.
        """
        own_wheel = None if self.wheel is None else Wheel.read(self.wheel)
        kernels = read_kernels(self.kernels)
        if own_wheel is None:
            build_script()
        copied = {} if self.service is None else self._read_files(self.service)
        with ExitStack() as stack:
            with self.screen.step("connect", asks=True) as step:
                stack.enter_context(self._connection)
                step.result(self.host)
            board = self._look()
            there, is_sandboxed = dict[str, str](), False
            if self.service is not None:
                there, is_sandboxed = self._check_service(self.service, copied, board)
            new = own_wheel or self._build(board.values["machine"])
            serve = self.service is not None or "service" in board.values
            new = new.with_extras(serve=serve, cluster=self.cluster or board.current.endswith("-cluster"))
            if new.machine != board.values["machine"]:
                machine = board.values["machine"]
                raise DeployError(f"{new.package.path.name} is for {new.machine}; {self.host} is {machine}")
            outcome = Deployment(self.host, new.folder)
            try:
                stack.enter_context(self._connection.lock())
                board = BoardFacts(self._step("probe"))  # another deploy may have finished meanwhile
                keep = [file.sha256 for file in (*copied.values(), *kernels)]
                self._copy_and_install(new, board, outcome, keep)
                self._try(new, board, outcome)
                self._switch(new, board, outcome, keep)
                self._copy_kernels(kernels, board, outcome)
                if self.service is not None:
                    self._serve(self.service, copied, there, board, outcome, is_sandboxed=is_sandboxed)
                elif url := board.values.get("service"):
                    self._restart(url, outcome)
            except StepFailed as failed:
                raise self._explain(failed) from None
        return outcome

    def remove_service(self) -> bool:
        """Stop the service on the board and remove it: its unit, its keys and the models copied for it.

        Returns:
            Whether there was a service.
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

    def _step(self, name: str, *arguments: str, timeout: float = SHORT) -> Mapping[str, str]:
        return self._connection.run(name, *arguments, timeout=timeout).values

    def _read_files(self, service: Service) -> dict[str, Package]:
        """Return the service's files that are here, by their paths."""
        found: dict[str, Package] = {}
        for file in service.files:
            if Path(file).is_file():
                with self.screen.step(f"read {service.label(file)}") as step:
                    found[file] = Package.of(Path(file))
                    step.result(f"{found[file].path.name}, {mib(found[file].size)}")
        check_names(found.values())
        return found

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

    def _copy_and_install(self, new: Wheel, board: BoardFacts, outcome: Deployment, keep: Sequence[str]) -> None:
        """Copy and install what is missing; uploads named in ``keep`` are not removed."""
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
                    step.result(f"{len(packages) - 1} packages, {mib(total(packages[1:]))}")
            self._step("clean", new.folder, *(package.sha256 for package in packages), *keep)
            with self.screen.step("copy") as step:
                outcome.copied = self._uploads.copy(packages, step)
        with self.screen.step("install") as step:
            options = ["--no-index"] if self.offline else []
            options += [f"--find-links=uploads/{package.sha256}" for package in packages[1:]]
            file = f"{new.package.sha256}/{new.package.path.name}{new.brackets}"
            locked = new.requirements(board.values["python"])
            own = f"uploads/{file} --hash=sha256:{new.package.sha256}" if locked else f"uploads/{file}"
            content = iter(["\n".join([*locked, own, ""]).encode()])
            self._connection.run("install", new.folder, *options, timeout=_INSTALL, note=step.note, content=content)
            outcome.installed = True
            step.result(new.folder)

    def _starts(self, version: str) -> bool:
        try:
            self._run(version, "--version")
        except StepFailed:
            return False
        return True

    def _run(self, version: str, *arguments: str, good: Sequence[int] = (0,)) -> Answer:
        return self._connection.run("run", version, *arguments, timeout=_TRY, good=good)

    def _try(self, new: Wheel, board: BoardFacts, outcome: Deployment) -> None:
        """Test the version; raise DeployError if it must not become current."""
        with self.screen.step("try it without the DSP") as step:
            self._run(new.folder, "--version")
            failure = self._self_test(new.folder, "loopback")
            if failure is not None:
                raise DeployError(f"the self test of {new.folder} fails on {self.host}: {failure.finding}")
            step.result("self test passed on the loopback")
        with self.screen.step(DOCTOR.format(self.device)) as step:
            failure = self._first_failure(new.folder)
            if failure is not None:
                self._judge(failure, new, board)
            outcome.not_ready = failure
            step.result("passed" if failure is None else f"{failure.check}: {failure.finding}")

    def _first_failure(self, version: str) -> Failure | None:
        """Return the first check that a version fails on one of the devices, or None."""
        devices = self.device.split(",")
        for device in devices:
            doctor = self._run(version, "doctor", "--device", device, "--json", good=(0, 1))
            failure = verdict.of_doctor(doctor)
            if failure is None and device not in CPU_NAMES:  # the self test has already run there
                failure = self._self_test(version, device)
            if failure is not None:
                return failure if len(devices) == 1 else replace(failure, finding=f"{device}: {failure.finding}")
        return None

    def _self_test(self, version: str, device: str) -> Failure | None:
        return verdict.of_selftest(self._run(version, "selftest", "--device", device, "--json", good=(0, 1)))

    def _judge(self, failure: Failure, new: Wheel, board: BoardFacts) -> None:
        current = board.current
        of_current: Failure | None = None
        if current and current != new.folder:
            try:
                of_current = self._first_failure(current)
            except DeployError as error:
                of_current = Failure("", str(error), "", failure.order)
        if current != new.folder and failure.blames_version(of_current, is_first=not current):
            kept = f"{current} stays current" if current else "no version is current"
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

    def _check_service(
        self, service: Service, copied: Mapping[str, Package], board: BoardFacts
    ) -> tuple[dict[str, str], bool]:
        """Raise DeployError if the board cannot run the service; return the paths there of its files, and whether the
        user's manager applies `SANDBOX`."""
        prefix = board.values["prefix"]
        with self.screen.step("look whether it can serve") as step:
            there = {file: f"{prefix}/models/{package.path.name}" for file, package in copied.items()}
            for file in service.files:
                if file in copied:
                    continue
                there[file] = self._step("find", file).get("found", "")
                if not there[file]:
                    kind = "model" if file == service.model else "file"
                    raise DeployError(f"there is no {kind} {file}, neither here nor on {self.host}")
            service.unit(prefix, there, has_keys=False, is_sandboxed=False)
            can = self._step("can_serve", service.host, str(service.port), *SANDBOX)
            if tool := can.get("missing"):
                raise DeployError(f"{self.host} has no {tool}: services need systemd")
            if reason := can.get("manager"):
                raise DeployError(
                    f"the systemd of {can['user']} on {self.host} does not answer: {reason}",
                    hint="on the board: sudo apt install libpam-systemd dbus-user-session; then log in again",
                )
            if "linger" not in can:
                raise DeployError(
                    f"{can['user']} on {self.host} may not run services without a login: {can['refusal']}",
                    hint=f"on the board: sudo loginctl enable-linger {can['user']}"
                    " (or sudo apt install polkitd, which lets users enable it)",
                )
            if reason := can.get("port"):
                raise DeployError(
                    f"cannot listen on {service.host}, port {service.port} on {self.host}: {reason}",
                    hint="choose another port with --serve-options '--port N'; ss -ltnp on the board shows who uses it",
                )
            is_sandboxed = "sandbox" in can
            why = "" if is_sandboxed else ", without a sandbox: this system gives users no namespaces"
            step.result(f"as {can['user']}, at {service.url}{why}")
        return there, is_sandboxed

    def _copy_file(self, label: str, file: Package) -> None:
        """Copy a file of the service into the folder of its models."""
        name = (file.sha256, file.path.name)
        with self.screen.step(f"copy {label}") as step:
            if "model" in self._step("model", *name):
                step.result("nothing to do: it is there")
            else:
                n_bytes = self._uploads.copy([file], step)
                self._step("keep_model", *name)
                step.result(f"{mib(n_bytes)} of {mib(file.size)}")

    def _copy_kernels(self, kernels: Sequence[Package], board: BoardFacts, outcome: Deployment) -> None:
        for kernel in kernels:
            name = (kernel.sha256, kernel.path.name)
            with self.screen.step(f"copy the kernel {kernel.path.name}") as step:
                if "kernel" in self._step("kernel", *name):
                    step.result("nothing to do: it is there")
                else:
                    self._uploads.copy([kernel], step)
                    self._step("keep_kernel", *name)
                    step.result(f"{kernel.size:,} bytes")
            outcome.kernels.append(f"{board.values['prefix']}/kernels/{kernel.path.name}")

    def _serve(
        self, service: Service, copied: Mapping[str, Package], there: Mapping[str, str], board: BoardFacts,
        outcome: Deployment, *, is_sandboxed: bool,
    ) -> None:  # fmt: skip
        prefix = board.values["prefix"]
        for path, file in copied.items():
            self._copy_file(service.label(path), file)
        keys = service.keys
        if not keys and "keys" not in board.values and service.host not in LOCAL:
            keys = f"{secrets.token_urlsafe(24)}\n"  # a service that listens on a network needs a key
        if keys:
            self._connection.run("keys", timeout=SHORT, content=iter([keys.encode()]))
        has_keys = bool(keys) or "keys" in board.values
        outcome.keys = f"{prefix}/api-keys" if has_keys else None
        unit = service.unit(prefix, there, has_keys=has_keys, is_sandboxed=is_sandboxed)
        what = mark(outcome.version, unit, *(file.sha256 for file in copied.values()))
        content = iter([unit.encode()])
        self._start("serve", service.url, what, outcome, content)
        self._step("clean_models", *(file.path.name for file in copied.values()))

    def _restart(self, url: str, outcome: Deployment) -> None:
        """Restart the present service with the new version."""
        self._start("restart", url, mark(outcome.version), outcome)

    def _start(
        self, name: str, url: str, what: str, outcome: Deployment, content: Iterator[bytes] | None = None
    ) -> None:
        with self.screen.step("start the service") as step:
            done = self._connection.run(name, what, timeout=SHORT, content=content).values
            if outcome.not_ready is not None:
                step.result("it waits for the board's DSP to work")
                return
            try:
                since = done.get("restarted", "0")
                self._connection.run("healthy", url, what, since, str(_START), timeout=_START + SHORT)
            except StepFailed as failed:
                state = failed.values.get("state", "unknown")
                messages = "; ".join(failed.stderr.strip().splitlines()[-4:]) or "it said nothing"
                raise DeployError(
                    f"the service on {self.host} does not come up ({state}): {messages}",
                    hint=f"on the board: journalctl --user -u {NAME}",
                ) from None
            outcome.url, outcome.started = url, "restarted" in done
            step.result(url if outcome.started else f"nothing to do: it runs at {url}")

    def _explain(self, failed: StepFailed) -> DeployError:
        """Return a better error for a failed step; if the disk is full, remove the uploads."""
        if _FULL.search(failed.stderr):
            values = failed.values if "space" in failed.values else self._step("probe")
            free, size = space(values["space"])
            self._step("clean")
            return self._uploads.full(f"{mib(free)} of {mib(size)} were free when it stopped")
        if _OTHER_FILES.search(failed.stderr):
            hint = "the board's package index has other files than the lock of this version: deploy with --offline"
            failed = StepFailed(failed.detail, hint=hint)
        elif _NO_INDEX.search(failed.stderr):
            hint = "does the board reach a package index that has this version? If not, deploy with --offline"
            failed = StepFailed(failed.detail, hint=hint)
        return failed
