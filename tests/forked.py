"""Commands as processes that need not start Python: what the command line imports is imported once for all tests.

A server process imports all of it and forks at every request. The fork has a folder, an environment and streams of its
own, and ends as the installed command ends. What concerns the start of Python itself, its encodings, its imports or
signals to a running command is tested with `python -m divisionbell` instead.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import json
import os
import pkgutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import NoReturn

LONGEST_REQUEST = 1 << 17
SOURCE = Path(__file__).resolve().parents[1] / "src"


@cache
def _server() -> socket.socket:
    """The socket of the server process, which ends with the process that asked first."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    path = os.pathsep.join([str(SOURCE), *filter(None, [os.environ.get("PYTHONPATH")])])
    command = [sys.executable, __file__, str(theirs.fileno())]
    # What it says at its end is nobody's output; what its forks say goes into the streams that they are handed.
    environment = {**os.environ, "PYTHONPATH": path}
    process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()])
    theirs.close()
    owner = os.getpid()

    def end() -> None:
        if os.getpid() == owner:
            ours.close()
            process.wait()

    atexit.register(end)
    return ours


def run(
    *arguments: str,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    given: str = "",
    timeout: float = 120,
) -> subprocess.CompletedProcess[str]:
    """`divisionbell` with these arguments; `given` is its standard input. Raises TimeoutExpired."""
    request = {"arguments": arguments, "cwd": str(cwd or Path.cwd()), "env": dict(os.environ if env is None else env)}
    ends = [os.pipe() for _ in range(4)]
    (in_read, in_write), (out_read, out_write), (err_read, err_write), (told_read, told_write) = ends
    socket.send_fds(_server(), [json.dumps(request).encode()], [in_read, out_write, err_write, told_write])
    for end in (in_read, out_write, err_write, told_write):
        os.close(end)
    with open(told_read, "rb") as told, open(out_read, "rb") as out, open(err_read, "rb") as err:
        pid = int(told.readline())
        with ThreadPoolExecutor(3) as readers:
            said = [readers.submit(stream.read) for stream in (out, err, told)]
            with contextlib.suppress(BrokenPipeError), open(in_write, "wb") as stream:
                stream.write(given.encode())
            try:
                code = int(said[2].result(timeout))
            except TimeoutError:
                os.kill(pid, signal.SIGKILL)
                raise subprocess.TimeoutExpired(arguments, timeout) from None
    return subprocess.CompletedProcess(arguments, code, said[0].result().decode(), said[1].result().decode())


def _serve(asked: socket.socket) -> None:
    """Fork for every request; returns in the fork, whose streams, folder and arguments are those of the request."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the tests, and then this
    while True:
        data, streams, _, _ = socket.recv_fds(asked, LONGEST_REQUEST, 4)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, 0 if not data else os.WNOHANG)[0]:
                pass
        if not data:
            os._exit(0)
        if os.fork():
            for stream in streams:
                os.close(stream)
            continue
        asked.close()
        *own, told = streams
        pid = os.fork()
        if pid:
            for stream in own:
                os.close(stream)
            os.write(told, b"%d\n" % pid)
            code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            with contextlib.suppress(BrokenPipeError):
                os.write(told, b"%d" % code)
            os._exit(0)
        os.close(told)
        for number, stream in enumerate(own):
            os.dup2(stream, number)
            os.close(stream)
        # Those that Python has made know what the streams of the server can do, such as seek.
        sys.stdin, sys.stdout, sys.stderr = (
            open(number, "w" if number else "r", encoding=made.encoding, errors=made.errors, closefd=False)  # noqa: SIM115
            for number, made in enumerate((sys.stdin, sys.stdout, sys.stderr))
        )
        signal.signal(signal.SIGINT, signal.default_int_handler)
        request = json.loads(data)
        os.chdir(request["cwd"])
        os.environ.clear()
        os.environ.update(request["env"])
        sys.argv = ["divisionbell", *request["arguments"]]
        return


def _code() -> int:
    """The exit code of the command that the arguments name."""
    from divisionbell.__main__ import program

    try:
        program()
    except SystemExit as ended:
        assert isinstance(ended.code, int)
        return ended.code
    raise AssertionError("the command line has returned")


def _end(code: int) -> NoReturn:
    """End as Python does, but leave what was imported where it is: taking it down costs more than most commands."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):  # closed, or lost, which the command has told by its code
            stream.flush()
    os._exit(code)


def _import_all() -> None:
    import divisionbell

    for module in pkgutil.walk_packages(divisionbell.__path__, "divisionbell."):
        if module.name != "divisionbell.__main__":
            try:
                importlib.import_module(module.name)
            except ModuleNotFoundError as problem:  # what only another environment has
                assert not str(problem.name).startswith("divisionbell"), problem


if __name__ == "__main__":
    _import_all()
    gc.collect()
    gc.freeze()
    _serve(socket.socket(fileno=int(sys.argv[1])))
    _end(_code())
