"""The house keeps its order: who may import whom, what stays off the path of `validate`, how long a module may be."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from divisionbell.validate.rules import BY_ID, RULES

HEAVY = (
    "linkml linkml_runtime rdflib pyoxigraph pyshacl jsonschema requests numpy scipy matplotlib aiohttp pydantic "
    "jinja2 cryptography inspect_ai"
)
GENERATED = {"classes.py", "run_classes.py"}


def started(repository: Path, code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], cwd=repository, capture_output=True, text=True, check=False)


def test_validate_imports_nothing_heavy(repository: Path) -> None:
    code = """
import sys
sys.argv = ["divisionbell", "validate", "--quiet"]
from divisionbell.__main__ import main
try:
    main()
except SystemExit as ended:
    assert ended.code == 0, ended.code
print(*sorted({name.split(".")[0] for name in sys.modules}))
"""
    ended = started(repository, code)
    assert ended.returncode == 0, ended.stderr + ended.stdout
    assert set(ended.stdout.split()) & set(HEAVY.split()) == set()


def test_help_imports_no_verb(repository: Path) -> None:
    code = "import sys; from divisionbell.cli import root; print(*[n for n in sys.modules if 'divisionbell.cli.' in n])"
    ended = started(repository, code)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.split() == []


def test_modules_are_short(repository: Path) -> None:
    lengths = {
        path.relative_to(repository).as_posix(): len(path.read_text(encoding="utf-8").splitlines())
        for path in (repository / "src").rglob("*.py")
        if path.name not in GENERATED
    }
    assert {path: length for path, length in lengths.items() if length > 350} == {}


def test_rooms_import_downwards_only(repository: Path) -> None:
    linter = shutil.which("lint-imports", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    if linter is None:
        pytest.skip("import-linter is not installed")
    path = os.pathsep.join([str(repository / "src"), os.environ.get("PYTHONPATH", "")])
    ended = subprocess.run(
        [linter, "--no-cache"],
        cwd=repository,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_every_rule_is_explained(repository: Path) -> None:
    assert len(BY_ID) == len(RULES)
    listed = subprocess.run(
        [sys.executable, "-m", "divisionbell", "explain"], cwd=repository, capture_output=True, text=True, check=True
    ).stdout
    assert [line.split()[0] for line in listed.splitlines() if line.startswith(" ")] == [rule.id for rule in RULES]
    for rule in RULES:
        assert rule.id[:3].isupper()
        assert rule.id[3:].isdigit()
        assert rule.name
        assert rule.protects.endswith(".")
        assert rule.fix
        assert not rule.fix.endswith(".")


def test_every_module_says_what_it_is(repository: Path) -> None:
    for path in (repository / "src").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert not text.strip() or path.name in GENERATED or text.startswith('"""'), path
