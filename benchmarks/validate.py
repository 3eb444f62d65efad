"""Time whole commands beside their peers, in the same run. Medians of wall time; nothing here is asserted.

python benchmarks/validate.py            --help and the shipped bank, beside bare Click, linkml and check-jsonschema
python benchmarks/validate.py --scale    synthetic banks of 1,000 to 100,000 items, with memory
python benchmarks/validate.py --profile  where the time of the shipped bank goes, and the floor: reading YAML
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import synthetic_bank

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
OURS = str(BIN / "divisionbell")
BARE = "import click\n@click.command()\ndef main(): 'A bare program.'\nmain()\n"
RECORDS = (1_000, 10_000, 40_000, 100_000)
ITEMS_A_DOSSIER = 4


def once(command: list[str], folder: Path = ROOT) -> tuple[float, float, int, int]:
    """Wall seconds, processor seconds, greatest memory of one process in bytes, and exit code of one run."""
    start = time.perf_counter()
    with open(os.devnull, "wb") as nowhere:  # noqa: PTH123
        process = subprocess.Popen(command, cwd=folder, stdout=nowhere, stderr=nowhere)
        _, status, used = os.wait4(process.pid, 0)
    return (
        time.perf_counter() - start,
        used.ru_utime + used.ru_stime,
        used.ru_maxrss * 1024,
        os.waitstatus_to_exitcode(status),
    )


def median(command: list[str], runs: int, folder: Path = ROOT) -> float:
    """Median wall time in seconds, after one run to warm up. A peer's exit code is its own business."""
    return statistics.median([once(command, folder)[0] for _ in range(runs + 1)][1:])


def beside_peers() -> None:
    """Peers look at the shape alone, and of one class at a time: their row is the sum over both classes of dossiers."""
    classes = {"Dossier": ("dossiers", "dossier"), "ExcludedDossier": ("excluded", "excluded_dossier")}
    files = {name: sorted(map(str, (ROOT / "bank" / folder).rglob("*.yaml"))) for name, (folder, _) in classes.items()}
    linkml = [
        [str(BIN / "linkml"), "validate", "-s", "schema/divisionbell.yaml", "-C", name, *files[name]]
        for name in classes
    ]
    shapes = {name: f"src/divisionbell/model/editor/{shape}.schema.json" for name, (_, shape) in classes.items()}
    checked = [[str(BIN / "check-jsonschema"), "--schemafile", shapes[name], *files[name]] for name in classes]
    count = sum(map(len, files.values()))
    rows = [
        ("bare Click program, --help", [[sys.executable, "-c", BARE, "--help"]], 21),
        ("divisionbell --help", [[OURS, "--help"]], 21),
        (f"divisionbell validate, every rule, {count} dossiers and the rest of the bank", [[OURS, "validate"]], 11),
        (f"linkml validate, shape alone, the {count} dossiers", linkml, 3),
        (f"check-jsonschema, shape alone, the {count} dossiers", checked, 3),
    ]
    for name, commands, runs in rows:
        print(f"{sum(median(command, runs) for command in commands):8.3f} s  {name}", flush=True)


def at_scale() -> None:
    print("   items      wall  processor   items/s    memory of one process")
    with tempfile.TemporaryDirectory() as folder:
        for records in RECORDS:
            place = Path(folder) / str(records)
            place.mkdir()
            synthetic_bank.write(records // ITEMS_A_DOSSIER, place)
            once([OURS, "validate"], place)
            wall, busy, memory, code = min(once([OURS, "validate"], place) for _ in range(3))
            found = "" if code == 0 else f"  exit code {code}: the synthetic bank is not valid"
            rate = records / wall
            print(f"{records:8,} {wall:8.2f} s {busy:8.2f} s {rate:9,.0f} {memory / 1e6:8,.0f} MB{found}", flush=True)


def profile() -> None:
    import yaml

    from divisionbell.bank import load as loading
    from divisionbell.bank import two_processes
    from divisionbell.bank.plain import plain_value
    from divisionbell.validate import engine

    two_processes._two = lambda: False  # one process, so that the parts add up

    def spent(name: str, start: float) -> float:
        now = time.process_time()
        print(f"{now - start:8.3f} s  {name}")
        return time.process_time()

    clock = time.process_time()
    texts = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "bank").rglob("*.yaml"))]
    clock = spent(f"read {len(texts)} files, {sum(map(len, texts)) / 1e6:.1f} MB", clock)
    for text in texts:
        loader = yaml.CSafeLoader(text)
        while loader.get_event().__class__ is not yaml.StreamEndEvent:
            pass
    clock = spent("the floor: the YAML parser's events, thrown away", clock)
    for text in texts:
        plain_value(text)
    clock = spent("those events made into values", clock)
    bank = loading.load(ROOT / "bank")
    clock = spent("load: files found, read and made into values", clock)
    engine.check(bank)
    spent("check: shape and every rule", clock)


if __name__ == "__main__":
    {"--scale": at_scale, "--profile": profile}.get("".join(sys.argv[1:]), beside_peers)()
