"""A SLURM cluster of one node on the loopback address: munged, slurmctld and slurmd in a configuration of their own."""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

WANTED = ("munged", "slurmctld", "slurmd", "sbatch", "sinfo", "squeue")
START_SECONDS = 30


def what_is_missing() -> str:
    """Why no cluster can be started here; empty where one can."""
    lacking = [name for name in WANTED if found(name) is None]
    if lacking:
        return f"{', '.join(lacking)} missing: apt-get install slurm-wlm munge"
    return "" if os.geteuid() == 0 else "slurmd is started by root only"


def found(name: str) -> str | None:
    """A daemon's path; they lie where an ordinary user does not look."""
    return shutil.which(name, path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"]))


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def configuration(folder: Path) -> str:
    host = socket.gethostname().split(".")[0]
    return f"""
ClusterName=divisionbell
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.sock
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_interval=1
SlurmdParameters=config_overrides
ReturnToService=2
MpiDefault=none
NodeName={host} NodeAddr=127.0.0.1 CPUs=4 RealMemory=4000 State=UNKNOWN
PartitionName=test Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


@contextmanager
def cluster() -> Iterator[dict[str, str]]:
    """The environment in which SLURM's commands speak to the cluster. Raises TimeoutError with its logs."""
    with tempfile.TemporaryDirectory(prefix="divisionbell-slurm-") as name, ExitStack() as running:
        folder = Path(name)
        for below in ("state", "spool"):
            (folder / below).mkdir()
        (folder / "slurm.conf").write_text(configuration(folder), encoding="ascii")
        (folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n", encoding="ascii")
        (folder / "munge.key").write_bytes(secrets.token_bytes(128))
        (folder / "munge.key").chmod(0o400)
        environment = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf")}
        munged = [f"--{end}={folder}/munge.{end.split('-')[0]}" for end in ("key-file", "pid-file", "log-file")]
        munged += [f"--seed-file={folder}/munge.seed", f"--socket={folder}/munge.sock", "--foreground", "--force"]
        for program, options in (("munged", munged), ("slurmctld", ["-D", "-c"]), ("slurmd", ["-D", "-c"])):
            running.enter_context(daemon(folder, program, options, environment))
            if program == "munged":
                wait_until(folder, lambda: (folder / "munge.sock").exists())
        wait_until(folder, lambda: "idle" in told("sinfo", "-h", "-o", "%T", environment=environment))
        yield environment


@contextmanager
def daemon(folder: Path, program: str, options: list[str], environment: dict[str, str]) -> Iterator[None]:
    path = found(program)
    assert path is not None
    with (folder / f"{program}.out").open("wb") as out:
        process = subprocess.Popen([path, *options], stdout=out, stderr=out, env=environment)
        try:
            yield
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def told(*command: str, environment: dict[str, str], cwd: Path | None = None) -> str:
    """What a command prints; empty where it fails."""
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=cwd, check=False, timeout=60)
    return done.stdout if done.returncode == 0 else ""


def wait_until(folder: Path, holds: object, seconds: float = START_SECONDS) -> None:
    end = time.monotonic() + seconds
    while not holds():  # type: ignore[operator]
        if time.monotonic() > end:
            logs = [f"--- {path.name}\n{path.read_text(errors='replace')[-2000:]}" for path in folder.glob("*.log")]
            raise TimeoutError("\n".join(logs))
        time.sleep(0.1)
