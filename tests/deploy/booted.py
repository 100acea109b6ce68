# SPDX-License-Identifier: MIT
"""A board booted by systemd: this machine's files under an overlay, with its own network, sshd and user.

Nothing enabled on this machine starts there, and nothing is written here. Missing packages of the board are installed
into the overlay.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import needs
from waiting import LONG

from .boards import FakeBoard, _keygen, wait_until

USER = "booted"
PACKAGES = ("systemd", "libpam-systemd", "dbus-user-session", "polkitd", "openssh-server")
_MOUNTS = """
umask 022
mount --make-rprivate /
cd {folder}
mount -t tmpfs -o mode=755 tmpfs store
mkdir store/upper store/work
mount -t overlay -o lowerdir=/,upperdir=store/upper,workdir=store/work overlay root
mount -t cgroup2 cgroup2 cgroups
"""
_PREPARE = """
mount -t proc proc {root}/proc
mount --bind /dev {root}/dev
if ! chroot {root} dpkg -s {packages} > /dev/null 2>&1; then
    printf '#!/bin/sh\\nexit 101\\n' > {root}/usr/sbin/policy-rc.d
    chmod 755 {root}/usr/sbin/policy-rc.d
    install="chroot {root} apt-get install -y -qq --no-install-recommends {packages}"
    $install || {{ chroot {root} apt-get update -qq && $install; }}
fi >&2
umount {root}/dev {root}/proc
chroot {root} useradd --create-home --shell /bin/sh {user}
echo board > {root}/etc/hostname
echo '127.0.0.1 localhost board' > {root}/etc/hosts
mkdir -p {root}/var/log/journal
for hidden in tmp etc/systemd/system etc/systemd/user var/log/journal var/lib/systemd; do
    [ ! -d {root}/$hidden ] || mount -t tmpfs -o mode=755 tmpfs {root}/$hidden
done
mkdir -p {root}/etc/systemd/system/multi-user.target.wants
printf '[Service]\\nRuntimeDirectory=sshd\\nExecStart=%s -D -e -f %s\\n' {sshd} {configuration} \
    > {root}/etc/systemd/system/board-ssh.service
ln -s ../board-ssh.service {root}/etc/systemd/system/multi-user.target.wants
ln -s /dev/null {root}/etc/systemd/system/tmp.mount
chmod 1777 {root}/tmp
for seen in {seen}; do mkdir -p {root}$seen; done
chmod a+x {parents}
for seen in {seen}; do mount --bind -o ro $seen {root}$seen; done
exec unshare --net sh -c 'echo ready; exec cat'
"""
_BOOT = """
umask 022
mkdir -p {folder}/cgroups/{name}
echo $$ > {folder}/cgroups/{name}/cgroup.procs
exec unshare --mount --pid --fork --uts --ipc --cgroup --kill-child sh -euc {inside}
"""
_INSIDE = """
umask 022
mount --make-rprivate /
cd {root}
mount -t proc proc proc
mount --bind proc/sys proc/sys
mount -o remount,bind,ro proc/sys
mount -t sysfs -o ro sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs dev
for node in null zero full random urandom tty; do
    touch dev/$node
    mount --bind /dev/$node dev/$node
done
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=666,mode=620,gid=5 devpts dev/pts
mount -t tmpfs -o mode=1777 tmpfs dev/shm
mount -t tmpfs -o mode=755 tmpfs run
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
pivot_root . mnt
cd /
umount -l /mnt
exec env -i container=pyhexagon PATH=/usr/sbin:/usr/bin:/sbin:/bin setpriv --inh-caps -all \
    --bounding-set -sys_time,-sys_module,-sys_rawio,-syslog /lib/systemd/systemd --unit=multi-user.target
"""


@dataclass
class Booted(FakeBoard):
    """A booted board. Its home and prefix are its own: inspect them with ``run_there``."""

    prefix_in_home: str = ".local/share/pyhexagon"
    holder: int = 0  # process that keeps its mounts and its network
    machine: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def name(self) -> str:
        return f"pyhexagon-{self.holder}"

    def within(self, *command: object) -> list[str]:
        """Return a command that runs in the board's network, with this machine's files."""
        return ["nsenter", f"--net=/proc/{self.holder}/ns/net", "--", *map(str, command)]

    def start(self, *arguments: object, **environment: str) -> subprocess.Popen[str]:
        """Start ``pyhexagon deploy`` in the board's network, without a terminal."""
        command = self.within(sys.executable, "-m", "pyhexagon", "deploy", *arguments)
        pipe = subprocess.PIPE
        known = {name: value for name, value in os.environ.items() if not name.startswith(("SSH_", "PYHEXAGON"))}
        return subprocess.Popen(
            command, stdout=pipe, stderr=pipe, text=True, env={**known, **environment}, start_new_session=True
        )

    def run_there(self, script: str) -> str:
        """Run a shell script as the user over ssh, and return its output."""
        command = self.within("ssh", "-F", self.folder / "ssh_config", "board", script)
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LONG)
        return (done.stdout + done.stderr).strip()

    def power_on(self) -> None:
        """Boot, and wait until sshd accepts the user."""
        root = shlex.quote(str(self.folder / "root"))
        script = _BOOT.format(
            folder=shlex.quote(str(self.folder)), name=self.name, inside=shlex.quote(_INSIDE.format(root=root))
        )
        enter = ["nsenter", f"--mount=/proc/{self.holder}/ns/mnt", f"--net=/proc/{self.holder}/ns/net"]
        with (self.folder / "console").open("ab") as console:
            self.machine = [
                subprocess.Popen(
                    ["setpriv", "--pdeathsig", "KILL", *enter, "sh", "-euc", script],
                    stdin=subprocess.DEVNULL, stdout=console, stderr=console, start_new_session=True,
                )
            ]  # fmt: skip
        wait_until(lambda: self._ended() or self.run_there("echo yes") == "yes")
        assert not self._ended(), (self.folder / "console").read_text()

    def power_off(self) -> None:
        """Shut down gracefully."""
        (machine,) = self.machine
        children = Path(f"/proc/{machine.pid}/task/{machine.pid}/children").read_text().split()
        os.kill(int(children[0]), signal.SIGRTMIN + 4)  # systemd: poweroff.target
        machine.wait(LONG)

    def cut_off(self) -> None:
        """End it at once, and remove its cgroup."""
        (machine,) = self.machine
        with suppress(ProcessLookupError):
            os.killpg(machine.pid, signal.SIGKILL)
        machine.wait(LONG)
        cgroup = shlex.quote(f"{self.folder}/cgroups/{self.name}")
        remove = f"[ ! -d {cgroup} ] || find {cgroup} -depth -type d -exec rmdir {{}} +"
        enter = ["nsenter", f"--mount=/proc/{self.holder}/ns/mnt", "sh", "-c", remove]
        # Processes killed together with the first one take a moment to end.
        wait_until(lambda: subprocess.run(enter, check=False, capture_output=True).returncode == 0)

    def _ended(self) -> bool:
        return self.machine[0].poll() is not None


@contextmanager
def running(folder: Path, *seen: Path) -> Iterator[Booted]:
    """Run a board; the files in ``seen`` have the same paths there as here."""
    for name in ("ssh", "sshd", "another system"):
        needs.require(name)
    board = Booted(folder)
    for part in ("store", "root", "cgroups"):
        (folder / part).mkdir(parents=True)
    _write_configuration(board)
    script = _MOUNTS.format(folder=shlex.quote(str(folder))) + _PREPARE.format(
        root=shlex.quote(str(folder / "root")),
        packages=" ".join(PACKAGES),
        user=USER,
        sshd=needs.SSHD,
        configuration=folder / "sshd_config",
        parents=shlex.join(f"{folder}/root{one}" for path in (folder, *seen) for one in path.parents),
        seen=shlex.join(map(str, (folder, *seen))),
    )
    with (folder / "mounts.log").open("wb") as log:
        command = ["setpriv", "--pdeathsig", "KILL", "unshare", "--mount", "sh", "-euc", script]
        holder = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log)
    with holder:
        assert holder.stdout is not None
        board.holder = holder.pid
        try:
            assert holder.stdout.readline() == b"ready\n", (folder / "mounts.log").read_text()
            board.power_on()
            yield board
        finally:
            if board.machine:
                board.cut_off()
            holder.kill()


def _write_configuration(board: Booted) -> None:
    folder = board.folder
    folder.chmod(0o755)
    for name in ("host_key", "key"):
        _keygen(folder / name)
    shutil.copy(folder / "key.pub", folder / "authorized_keys")
    (folder / "authorized_keys").chmod(0o644)
    (folder / "sshd_config").write_text(
        f"ListenAddress 127.0.0.1\nPort 22\nPidFile none\nUsePAM yes\nStrictModes no\n"
        f"HostKey {folder}/host_key\nAuthorizedKeysFile {folder}/authorized_keys\nAuthenticationMethods publickey\n"
    )
    (folder / "known_hosts").write_text(f"127.0.0.1 {(folder / 'host_key.pub').read_text()}")
    (folder / "ssh_config").write_text(
        f"Host board\n HostName 127.0.0.1\n User {USER}\n IdentityFile {folder}/key\n IdentitiesOnly yes\n"
        f" StrictHostKeyChecking yes\n GlobalKnownHostsFile /dev/null\n UserKnownHostsFile {folder}/known_hosts\n"
    )
