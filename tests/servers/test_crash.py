"""The crash test in small: `python benchmarks/crash.py` kills 200 times."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KILLS = 12


def test_killed_and_torn_runs_lose_nothing_double_nothing_and_score_the_same() -> None:
    command = [sys.executable, "benchmarks/crash.py", "--kills", str(KILLS), "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["kills"] == KILLS and told["runs"] >= 1 and told["units"] == 480
    assert told["most lost at one kill"] <= told["in flight at most"] == 16
    assert told["units paid twice"] <= KILLS * 16 + told["torn by us"]
