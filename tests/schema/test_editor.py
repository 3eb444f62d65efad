"""A bank file in an editor: the YAML language server that editors use, run with the compiled editor schema."""

from __future__ import annotations

import json
import os
import queue
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent
EDITOR = HERE.parents[1] / "src" / "divisionbell" / "model" / "editor"
SERVER = os.environ.get("YAML_LANGUAGE_SERVER") or shutil.which("yaml-language-server")
PATIENCE = 20.0

pytestmark = pytest.mark.skipif(SERVER is None, reason="npm install -g yaml-language-server")

SETTINGS = {
    "yaml": {
        "validate": True,
        "hover": True,
        "completion": True,
        "schemaStore": {"enable": False},
        "kubernetesCRDStore": {"enable": False},
    }
}


class LanguageServer:
    """A client of one language server over standard input and output."""

    def __init__(self, folder: Path) -> None:
        assert SERVER is not None
        self.process = subprocess.Popen(
            [SERVER, "--stdio"],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.messages: queue.Queue[dict[str, Any]] = queue.Queue()
        self.diagnostics: dict[str, list[dict[str, Any]]] = {}
        self.number = 0
        threading.Thread(target=self._listen, daemon=True).start()
        self.request(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": folder.as_uri(),
                "workspaceFolders": [{"uri": folder.as_uri(), "name": "bank"}],
                "capabilities": {
                    "workspace": {"configuration": True, "workspaceFolders": True},
                    "textDocument": {
                        "publishDiagnostics": {},
                        "completion": {"completionItem": {"snippetSupport": True}},
                        "hover": {"contentFormat": ["markdown", "plaintext"]},
                    },
                },
            },
        )
        self.notify("initialized", {})
        self.notify("workspace/didChangeConfiguration", {"settings": SETTINGS})

    def _listen(self) -> None:
        """Read messages until the server ends; each has a header with its length."""
        stream = self.process.stdout
        assert stream is not None
        while True:
            length = 0
            while (line := stream.readline()) not in (b"\r\n", b""):
                name, _, value = line.decode("ascii").partition(":")
                if name.lower() == "content-length":
                    length = int(value)
            if not line:
                return
            self.messages.put(json.loads(stream.read(length)))

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode("utf-8")
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def _next(self, until: float, waiting_for: str) -> dict[str, Any]:
        """The next message; what the server asks of its client is answered on the way."""
        try:
            message = self.messages.get(timeout=max(0.0, until - time.monotonic()))
        except queue.Empty:
            pytest.fail(f"the language server gave no {waiting_for} within {PATIENCE:.0f} seconds")
        if message.get("method") == "textDocument/publishDiagnostics":
            self.diagnostics[message["params"]["uri"]] = message["params"]["diagnostics"]
        elif "method" in message and "id" in message:
            result: Any = None
            if message["method"] == "workspace/configuration":
                result = [SETTINGS.get(item.get("section", ""), {}) for item in message["params"]["items"]]
            self._send({"id": message["id"], "result": result})
        return message

    def notify(self, method: str, params: dict[str, Any]) -> None:
        self._send({"method": method, "params": params})

    def request(self, method: str, params: Any) -> Any:
        self.number += 1
        self._send({"id": self.number, "method": method, "params": params})
        until = time.monotonic() + PATIENCE
        while True:
            message = self._next(until, f"answer to {method}")
            if message.get("id") == self.number and "method" not in message:
                assert "error" not in message, message
                return message["result"]

    def open(self, path: Path) -> list[dict[str, Any]]:
        """Open a file and wait for what the server finds in it."""
        uri = path.as_uri()
        self.diagnostics.pop(uri, None)
        text = path.read_text(encoding="utf-8")
        self.notify(
            "textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "yaml", "version": 1, "text": text}}
        )
        until = time.monotonic() + PATIENCE
        while uri not in self.diagnostics:
            self._next(until, f"diagnostics for {path.name}")
        return self.diagnostics[uri]

    def close(self) -> None:
        if self.process.poll() is None:
            try:
                self.request("shutdown", None)
                self.notify("exit", {})
                self.process.wait(timeout=5)
            except (OSError, subprocess.TimeoutExpired, pytest.fail.Exception):
                self.process.kill()
        self.process.wait()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bank as it lies beside its schemas."""
    made = tmp_path_factory.mktemp("editor")
    shutil.copytree(EDITOR, made / "schema" / "editor")
    (made / "bank" / "dossiers").mkdir(parents=True)
    return made


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[LanguageServer]:
    running = LanguageServer(folder)
    yield running
    running.close()


def modeline(schema: str) -> str:
    return f"# yaml-language-server: $schema={schema}\n"


RELATIVE = "../../schema/editor/dossier.schema.json"


def write(folder: Path, name: str, text: str, schema: str = RELATIVE) -> Path:
    """A dossier with the line that names its schema."""
    path = folder / "bank" / "dossiers" / f"{name}.yaml"
    path.write_text(modeline(schema) + text, encoding="utf-8")
    return path


def dossier() -> str:
    return (HERE / "valid" / "Dossier-full.yaml").read_text(encoding="utf-8")


def line_of(path: Path, beginning: str) -> int:
    """The number, from 0, of the first line that begins so after its blanks."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines) if line.lstrip().startswith(beginning))


def test_valid_dossier_has_no_diagnostics(server: LanguageServer, folder: Path) -> None:
    assert server.open(write(folder, "valid", dossier())) == []


@pytest.mark.parametrize("form", ["relative", "relative-with-dot", "absolute", "address"])
def test_every_form_of_the_modeline_is_read(server: LanguageServer, folder: Path, form: str) -> None:
    """A fault is found, so the schema was: with a schema that it cannot read, the server finds something else."""
    absolute = folder / "schema" / "editor" / "dossier.schema.json"
    schema = {
        "relative": RELATIVE,
        "relative-with-dot": "./" + RELATIVE,
        "absolute": str(absolute),
        "address": absolute.as_uri(),
    }[form]
    path = write(folder, f"form-{form}", dossier() + "no_such_slot: 1\n", schema)
    found = server.open(path)
    assert [(one["range"]["start"]["line"], one["message"]) for one in found] == [
        (line_of(path, "no_such_slot"), "Property no_such_slot is not allowed.")
    ]


def test_missing_schema_is_said(server: LanguageServer, folder: Path) -> None:
    found = server.open(write(folder, "no-schema", dossier(), "../../schema/editor/no_such.schema.json"))
    assert len(found) == 1
    assert "no_such.schema.json" in found[0]["message"]


def test_unknown_key_in_an_item_is_found_in_its_line(server: LanguageServer, folder: Path) -> None:
    text = dossier().replace("    status_quo: negative\n", "    status_quo: negative\n    statusquo: negative\n", 1)
    path = write(folder, "unknown-key", text)
    found = server.open(path)
    assert [one["range"]["start"]["line"] for one in found] == [line_of(path, "statusquo:")]
    assert "statusquo" in found[0]["message"]


def test_wrong_values_are_found_in_their_lines(server: LanguageServer, folder: Path) -> None:
    text = dossier()
    for right, wrong in (
        ("item_id: qf4gh5ij", "item_id: item-2"),
        ("title_status: as_published", "title_status: as_printed"),
        ("ayes: 268", "ayes: -268"),
    ):
        assert text.count(right) == 1
        text = text.replace(right, wrong)
    path = write(folder, "wrong-values", text)
    wanted = {line_of(path, start) for start in ("- item_id: item-2", "title_status:", "ayes:")}
    assert {one["range"]["start"]["line"] for one in server.open(path)} == wanted


def test_rule_is_applied(server: LanguageServer, folder: Path) -> None:
    text = dossier().replace("    heard_first_who: the shopkeepers\n", "", 1)
    found = server.open(write(folder, "rule", text))
    assert len(found) == 1
    assert "heard_first_who" in found[0]["message"]


def test_slots_are_completed_inside_an_item(server: LanguageServer, folder: Path) -> None:
    text = dossier().replace("    status_quo: negative\n", "    \n", 1)
    path = write(folder, "completion", text)
    server.open(path)
    line = path.read_text(encoding="utf-8").splitlines().index("    ")
    answer = server.request(
        "textDocument/completion",
        {"textDocument": {"uri": path.as_uri()}, "position": {"line": line, "character": 4}},
    )
    offered = {item["label"]: item for item in (answer["items"] if isinstance(answer, dict) else answer)}
    assert {"status_quo", "mirror_of"} <= offered.keys()
    # Neither what the item has already nor slots of other classes.
    assert not {"stem", "item_id", "dossier_id", "ayes"} & offered.keys()
    assert "The pole that the stem says holds today, or none." in json.dumps(offered["status_quo"])


def test_values_of_an_enum_are_completed(server: LanguageServer, folder: Path) -> None:
    text = dossier().replace("    status_quo: negative\n", "    status_quo: \n", 1)
    path = write(folder, "values", text)
    server.open(path)
    line = line_of(path, "status_quo:")
    answer = server.request(
        "textDocument/completion",
        {"textDocument": {"uri": path.as_uri()}, "position": {"line": line, "character": len("    status_quo: ")}},
    )
    assert {item["label"] for item in answer["items"]} >= {"negative", "positive", "none"}


@pytest.mark.parametrize(
    ("start", "description"),
    [
        ("stem:", "The situation, in 40 to 110 words."),
        ("party_counts:", "Members of each party in each lobby."),
        (
            "primary_field:",
            "The survey field that decides, lrecon for the economic axis and galtan for the social one.",
        ),
    ],
)
def test_hover_shows_the_description(server: LanguageServer, folder: Path, start: str, description: str) -> None:
    path = write(folder, f"hover-{start[:-1]}", dossier())
    server.open(path)
    line = line_of(path, start)
    character = path.read_text(encoding="utf-8").splitlines()[line].index(start) + 2
    answer = server.request(
        "textDocument/hover",
        {"textDocument": {"uri": path.as_uri()}, "position": {"line": line, "character": character}},
    )
    shown = answer["contents"]["value"].replace("\\", "").replace("&nbsp;", " ")
    assert description in " ".join(shown.split())


@pytest.mark.parametrize(
    ("schema", "example"),
    [
        ("bank", "Bank-smallest"),
        ("analysis_plan", "AnalysisPlan-usual"),
        ("excluded_dossier", "ExcludedDossier-disagreement"),
        ("evaluations", "EvaluationRegister-one"),
        ("data_sources", "DataSources-one"),
    ],
)
def test_other_files_of_a_bank(server: LanguageServer, folder: Path, schema: str, example: str) -> None:
    """The valid example has no diagnostics under its schema, and an unknown key has one."""
    text = (HERE / "valid" / f"{example}.yaml").read_text(encoding="utf-8")
    address = f"../../schema/editor/{schema}.schema.json"
    assert server.open(write(folder, f"{schema}-valid", text, address)) == []
    path = write(folder, f"{schema}-unknown", text + "no_such_slot: 1\n", address)
    assert [one["range"]["start"]["line"] for one in server.open(path)] == [line_of(path, "no_such_slot")]


def test_every_editor_schema_is_tried() -> None:
    tried = {"dossier", "bank", "analysis_plan", "excluded_dossier", "prospective", "evaluations", "data_sources"}
    assert {path.name.removesuffix(".schema.json") for path in EDITOR.iterdir()} == tried
