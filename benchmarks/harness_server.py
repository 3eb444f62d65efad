"""The server of the tests of other harnesses, to point any of them at: see docs/how-to/other-harnesses.md."""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "unit" / "export" / "harness"))

from function_server import FEW_MISSING, function_server

if __name__ == "__main__":
    with function_server(FEW_MISSING) as server:
        print(server.base_url, flush=True)
        try:
            while True:
                time.sleep(3600)
        except KeyboardInterrupt:
            print(f"{len(server.requests)} calls", flush=True)
