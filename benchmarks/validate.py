"""Time whole commands beside a peer, in the same run: `--help` beside a bare Click program, `validate` beside
`linkml validate` on the same dossiers. Medians of wall time; nothing here is asserted."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
BARE = "import click\n@click.command()\ndef main(): 'A bare program.'\nmain()\n"


def seconds(command: list[str], runs: int) -> float:
    """Median wall time of a command in seconds, after one run to warm up."""
    times = []
    for number in range(runs + 1):
        start = time.perf_counter()
        subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
        if number:
            times.append(time.perf_counter() - start)
    return statistics.median(times)


def main() -> None:
    dossiers = sorted(str(path) for path in (ROOT / "bank" / "dossiers").rglob("*.yaml"))
    ours = [str(BIN / "divisionbell")]
    rows = [
        ("bare Click program, --help", [sys.executable, "-c", BARE, "--help"], 11),
        ("divisionbell --help", [*ours, "--help"], 11),
        (
            f"divisionbell validate, all rules, {len(dossiers)} dossiers and the rest of the bank",
            [*ours, "validate"],
            7,
        ),
        (
            f"linkml validate, shape only, {len(dossiers)} dossiers",
            [str(BIN / "linkml"), "validate", "-s", "schema/divisionbell.yaml", "-C", "Dossier", *dossiers],
            3,
        ),
    ]
    for name, command, runs in rows:
        print(f"{seconds(command, runs):8.3f} s  {name}", flush=True)


if __name__ == "__main__":
    main()
