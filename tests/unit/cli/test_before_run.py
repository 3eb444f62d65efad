"""What `run` does before anything is asked, against real servers on this machine."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from test_run_over_http import KEY, answer_of, completion, item_of, server

import forked

Ask = Callable[..., subprocess.CompletedProcess[str]]
CHECK = "q0000000"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, repository: Path) -> Path:
    """A folder with a frozen bank."""
    folder = tmp_path_factory.mktemp("preflight")
    shutil.copytree(repository / "tests" / "pilot" / "bank", folder / "bank")
    shutil.copy(repository / "tests" / "pilot" / "data_sources.yaml", folder)
    if not list((folder / "bank").glob("freeze/*.json")):
        subprocess.run([sys.executable, "-m", "divisionbell", "freeze", "0.1.0"], cwd=folder, check=True)
    return folder


@pytest.fixture
def ask(place: Path, tmp_path: Path, environment: dict[str, str]) -> Ask:
    """Run a command; nothing that it says or writes to `tmp_path / "run"` may hold the key."""
    keys = {"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY}

    def asked(*arguments: str) -> subprocess.CompletedProcess[str]:
        done = forked.run(*arguments, cwd=place, env={**environment, **keys})
        assert KEY not in done.stdout + done.stderr
        assert "Traceback" not in done.stderr
        for file in (tmp_path / "run").rglob("*"):
            assert KEY.encode() not in file.read_bytes()
        return done

    return asked


def units(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / "journal.jsonl").read_bytes().splitlines()]


def header(out: Path) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((out / "run.json").read_bytes())
    return read


def run_of(out: Path, url: str, *more: str) -> list[str]:
    return ["run", "openai:asked-model", "--form", "short", "--base-url", url, "--out", str(out), *more]


def test_one_call_tells_what_the_run_will_be(ask: Ask, tmp_path: Path) -> None:
    seen: list[dict[str, Any]] = []

    def behave(request: dict[str, Any]) -> tuple[int, Any]:
        seen.append(request)
        return 200, completion(answer_of(item_of(request), "B"))

    out = tmp_path / "run"
    with server(behave) as url:
        done = ask(*run_of(out, url, "--concurrency", "8"))
    assert done.returncode == 0, done.stderr
    assert len(seen) == 33
    assert item_of(seen[0]) == CHECK and CHECK not in {unit["asked_item"] for unit in units(out)}
    found = header(out)["preflight"]
    sent = sum(len(message["content"]) for message in seen[0]["messages"])
    prompts = sum(len(message["content"]) for request in seen[1:] for message in request["messages"])
    assert (found["served_model"], found["temperature"], found["reading"]) == ("served-model-1", "accepted", "ok")
    assert (found["input_tokens"], found["output_tokens"], found["fingerprint"]) == (250, 15, "fp_1")
    estimates = found["estimates"]
    assert (estimates["calls_at_least"], estimates["calls_at_most"], estimates["concurrency"]) == (32, 64, 8)
    assert estimates["input_tokens_at_least"] == round(prompts * 250 / sent)
    assert estimates["input_tokens_at_most"] > 2 * estimates["input_tokens_at_least"]
    assert (estimates["output_tokens_at_least"], estimates["output_tokens_at_most"]) == (480, 960)
    for told in ("served as    served-model-1 (fp_1)", "temperature  0, accepted", "32 at least, 64 at most", "250 in"):
        assert told in done.stderr
    assert "format       reached" in done.stderr and "with 8 in flight" in done.stderr
    verified = ask("runs", "verify", str(out))
    assert verified.returncode == 0, verified.stdout
    exported = ask("export", "rdf", "--run", str(out), "--format", "ntriples")
    assert exported.returncode == 0 and "served-model-1" in exported.stdout


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (401, "the key is missing or refused"),
        (402, "no credit is left"),
        (404, "there is no such model or address"),
        (400, "the call before the run failed: HTTP 400"),
    ],
)
@pytest.mark.parametrize("respondent", ["openai:asked-model", "anthropic:asked-model"])
def test_a_refused_key_or_model_ends_before_anything_is_written(
    ask: Ask, tmp_path: Path, respondent: str, status: int, told: str
) -> None:
    calls = []

    def behave(request: dict[str, Any]) -> tuple[int, Any]:
        calls.append(request)
        return status, {"type": "error", "error": {"type": "x", "message": f"no:\nyour key {KEY} is bad"}}

    out = tmp_path / "run"
    with server(behave) as url:
        done = ask("run", respondent, "--form", "short", "--base-url", url, "--out", str(out))
    assert done.returncode == 2 and len(calls) == 1
    (error,) = [line for line in done.stderr.splitlines() if line.startswith("error:")]
    assert told in error and "[key]" in error
    assert not out.exists()


def test_a_server_that_is_not_there_ends_before_anything_is_written(ask: Ask, tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    done = ask(*run_of(tmp_path / "run", url))
    assert done.returncode == 2 and "cannot be reached" in done.stderr
    assert not (tmp_path / "run").exists()


def test_it_is_left_out_on_demand_on_resuming_and_for_functions(ask: Ask, tmp_path: Path) -> None:
    seen: list[dict[str, Any]] = []

    def behave(request: dict[str, Any]) -> tuple[int, Any]:
        seen.append(request)
        return 200, completion(answer_of(item_of(request), "A"))

    out = tmp_path / "run"
    with server(behave) as url:
        for more in (["--no-preflight"], ["--resume"]):
            done = ask(*run_of(out, url, *more))
            assert done.returncode == 0 and "preflight" not in done.stderr
    assert len(seen) == 32 and CHECK not in map(item_of, seen)
    assert "preflight" not in header(out)
    shutil.rmtree(out)
    done = ask("run", "scripted:coin", "--form", "short", "--out", str(out))
    assert done.returncode == 0 and "preflight" not in done.stderr + str(header(out))


def test_a_refused_temperature_is_told_and_recorded_with_every_attempt(ask: Ask, tmp_path: Path) -> None:
    refusals = []

    def behave(request: dict[str, Any]) -> tuple[int, Any]:
        if "temperature" in request:
            refusals.append(request)
            return 400, {"error": {"message": "Unsupported value", "param": "temperature"}}
        return 200, completion(answer_of(item_of(request), "A"))

    out = tmp_path / "run"
    with server(behave) as url:
        done = ask(*run_of(out, url))
    assert done.returncode == 0, done.stderr
    assert len(refusals) == 1
    assert "temperature  refused: the provider's default holds" in done.stderr
    assert header(out)["preflight"]["dropped_parameters"] == ["temperature"]
    assert {tuple(attempt["dropped_parameters"]) for unit in units(out) for attempt in unit["attempts"]} == {
        ("temperature",)
    }


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (completion("Sure: A", "stop"), "not reached: no_json"),
        (completion(None, "content_filter"), "not reached: blocked"),
        (completion("{", "length"), "! the reply was cut off: give more --max-tokens"),
    ],
)
def test_a_format_that_is_not_reached_is_told_and_the_run_goes_on(
    ask: Ask, tmp_path: Path, reply: dict[str, Any], told: str
) -> None:
    out = tmp_path / "run"
    with server(lambda r: (200, reply)) as url:
        done = ask(*run_of(out, url))
    assert done.returncode == 0 and told in done.stderr
    assert len(units(out)) == 32


def test_a_server_that_does_not_keep_the_shape_is_refused(ask: Ask, tmp_path: Path) -> None:
    out = tmp_path / "run"
    with server(lambda r: (200, completion("The connection works."))) as url:
        done = ask(*run_of(out, url, "--decoding", "grammar"))
    assert done.returncode == 2 and not out.exists()
    assert "does not hold replies to the answer's shape: it said The connection works." in done.stderr


@pytest.mark.parametrize("decoding", ["json-schema", "grammar"])
def test_constrained_decoding_is_labelled_as_another_instrument(ask: Ask, tmp_path: Path, decoding: str) -> None:
    seen: list[dict[str, Any]] = []

    def behave(request: dict[str, Any]) -> tuple[int, Any]:
        seen.append(request)
        if decoding == "grammar":
            item = request["grammar"].split(':\\"', 1)[1].split("\\", 1)[0]
        else:
            item = request["response_format"]["json_schema"]["schema"]["properties"]["item_id"]["const"]
        return 200, completion(answer_of(item, "A"))

    out = tmp_path / "run"
    with server(behave) as url:
        done = ask(*run_of(out, url, "--decoding", decoding))
    assert done.returncode == 0, done.stderr
    assert "as the server was made to" in done.stderr
    assert "item_id" not in seen[0]["messages"][-1]["content"]
    assert header(out)["constrained"] is True and header(out)["settings"]["decoding"] == decoding
    assert {unit["outcome"] for unit in units(out)} == {"valid_at_first"}
    if decoding == "grammar":  # what follows knows nothing of how replies were constrained
        return
    assert ask("runs", "verify", str(out)).returncode == 0
    scored = ask("score", str(out), "--format", "text")
    assert "constrained decoding, another instrument" in scored.stdout
    assert "That is another instrument" in scored.stdout
    page = tmp_path / "report.html"
    assert ask("report", str(out), "--out", str(page)).returncode == 0
    assert "constrained decoding" in page.read_text() and "which is another instrument" in page.read_text()
    assert "constrained decoding" in ask("runs", "list", str(tmp_path)).stdout
    free = ask(*run_of(out, "http://127.0.0.1:1/v1", "--resume", "--decoding", "free"))
    assert free.returncode == 2 and "constrained" in free.stderr


def test_a_dry_run_prints_every_prompt_and_the_plan_and_asks_nothing(ask: Ask, tmp_path: Path) -> None:
    seen = []
    with server(lambda r: seen.append(r) or (200, {})) as url:
        done = ask(*run_of(tmp_path / "run", url, "--dry-run", "--repeats", "3"))
    assert done.returncode == 0 and not seen and not (tmp_path / "run").exists()
    prompts, plan = done.stdout.split("--- plan\n")
    assert prompts.count("Return only a JSON object with this item_id") == 32
    assert sum(line.startswith("--- ") and "/32 q" in line for line in prompts.splitlines()) == 32
    assert "calls: 96 at least, 192 at most" in plan
    assert "openai:asked-model (free decoding): 96 units to ask, 0 not administered" in plan
    assert "(an estimate: characters / 4)" in plan and "tokens in: about " in plan
    assert not any(" at least" in line for line in plan.splitlines() if "tokens" in line)  # only calls are counted
    first = done.stderr.split("32 prompts follow on standard output, and this plan again\n")
    assert first == [plan, ""]
    assert "constrained decoding" in ask(*run_of(tmp_path / "run", url, "--dry-run", "--decoding", "grammar")).stdout


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["scripted:coin", "--logprobs"], "--logprobs does not go with scripted:coin"),
        (["party:Labour", "--temperature", "0"], "--temperature does not go with party:Labour"),
        (["anthropic:m", "--decoding", "grammar"], "--decoding does not go with anthropic:m"),
        (["anthropic:m", "--reasoning-tokens", "10"], "too small"),
        (["openai:m", "--temperature", "3"], "neither a number from 0 to 2 nor default"),
        (["openai:m", "--temperature", "nan"], "neither a number from 0 to 2 nor default"),
        (["openai:m", "--reasoning-tags", "<think>", " "], "--reasoning-tags needs two tags"),
        (["openai:m", "--max-tokens", "0"], "--max-tokens"),
        (["openai:"], "there is no respondent openai:"),
        (["embedded:x"], "there is no respondent embedded:x"),
        (["scripted:coin", "--base-url", "http://127.0.0.1/v1"], "--base-url does not go with scripted:coin"),
    ],
)
def test_what_does_not_go_together_is_refused(ask: Ask, tmp_path: Path, arguments: list[str], told: str) -> None:
    done = ask("run", *arguments, "--form", "short", "--out", str(tmp_path / "run"))
    assert done.returncode == 2 and told in done.stderr
    assert not (tmp_path / "run").exists()


def test_anthropic_without_a_key_ends_before_anything_is_asked(
    place: Path, tmp_path: Path, environment: dict[str, str]
) -> None:
    kept = {name: value for name, value in environment.items() if name != "ANTHROPIC_API_KEY"}
    out = tmp_path / "run"

    def run(*more: str) -> subprocess.CompletedProcess[str]:
        arguments = ["run", "anthropic:m", "--form", "short", "--out", str(out), *more]
        command = [sys.executable, "-m", "divisionbell", *arguments]
        return subprocess.run(command, cwd=place, env=kept, capture_output=True, text=True, check=False)

    done = run()
    assert done.returncode == 2 and "needs a key" in done.stderr and "set ANTHROPIC_API_KEY" in done.stderr
    assert not out.exists()
    assert run("--dry-run").returncode == 0


def message(text: str, **over: Any) -> dict[str, Any]:
    """A reply of the Messages API."""
    made = {
        "type": "message",
        "model": "served",
        "content": [{"type": "text", "text": text}],
        "stop_reason": "end_turn",
    }
    return {**made, "usage": {"input_tokens": 50, "cache_read_input_tokens": 200, "output_tokens": 15}, **over}


def test_anthropic_is_asked_end_to_end_by_a_key_from_a_file(ask: Ask, tmp_path: Path) -> None:
    (tmp_path / "key").write_text(f"{KEY}\n")
    out = tmp_path / "run"
    arguments = ["run", "anthropic:asked", "--form", "short", "--key-file", str(tmp_path / "key"), "--out", str(out)]
    tags = ["--reasoning-tags", "<think>", "</think>"]
    with server(lambda r: (200, message(f"<think>{KEY}</think>{answer_of(item_of(r), 'B')}"))) as url:
        done = ask(*arguments, *tags, "--base-url", url)
    assert done.returncode == 0, done.stderr
    assert {unit["outcome"] for unit in units(out)} == {"valid_at_first"}
    attempt = units(out)[0]["attempts"][0]
    assert (attempt["input_tokens"], attempt["cached_tokens"], attempt["served_model"]) == (250, 200, "served")
    assert attempt["reply_text"].startswith("<think>[key]</think>")
    assert ask("runs", "verify", str(out)).returncode == 0


@pytest.mark.parametrize("respondent", ["openai:asked-model", "anthropic:asked-model"])
def test_a_key_that_a_server_echoes_everywhere_stands_nowhere(ask: Ask, tmp_path: Path, respondent: str) -> None:
    count = iter(range(1000))

    def behave(request: dict[str, Any]) -> tuple[int, Any]:
        number = next(count)
        text = f"{KEY} {answer_of(item_of(request), 'A')}"
        if number % 8 == 7:
            return 400, {"error": {"message": f"bad\n{KEY}", "param": KEY, "type": KEY}}
        if respondent.startswith("anthropic"):
            thought = {"type": "thinking", "thinking": KEY}
            content = [thought, {"type": "text", "text": text}]
            return 200, message("", content=content, model=f"m {KEY}", stop_reason=KEY)
        body = completion(text, f"stop {KEY}", reasoning=KEY, refusal=KEY if number % 8 == 3 else None)
        return 200, {**body, "model": KEY, "system_fingerprint": f"fp {KEY}"}

    out = tmp_path / "run"
    with server(behave) as url:
        done = ask("run", respondent, "--form", "short", "--base-url", url, "--out", str(out), "--logprobs")
        if respondent.startswith("anthropic"):
            assert done.returncode == 2
            done = ask("run", respondent, "--form", "short", "--base-url", url, "--out", str(out))
    assert done.returncode == 1
    assert {unit["outcome"] for unit in units(out)} >= {"malformed", "transport_failed"}
    assert "[key]" in (out / "journal.jsonl").read_text() and "[key]" in (out / "run.json").read_text()


def test_a_key_echoed_in_a_broken_header_is_not_shown(ask: Ask, tmp_path: Path) -> None:
    def speak(listening: socket.socket) -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            with connection:
                connection.recv(65536)
                connection.sendall(f"HTTP/1.1 401 {KEY}\r\n{KEY} {KEY}\r\nX-Key: {KEY}\x00\r\n\r\n".encode())

    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=speak, args=(listening,), daemon=True).start()
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        done = ask("models", "--base-url", url)
    assert done.returncode == 0 and "openai:MODEL" in done.stdout


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="there is no /proc to read titles from")
def test_the_key_stands_in_no_argument_of_the_process(
    place: Path, tmp_path: Path, program: Callable[..., subprocess.Popen[Any]]
) -> None:
    arrived, go_on = threading.Event(), threading.Event()

    def behave(request: dict[str, Any]) -> tuple[int, Any]:
        arrived.set()
        go_on.wait(20)
        return 200, completion(answer_of(item_of(request), "A"))

    with server(behave) as url:
        running = program(
            *run_of(tmp_path / "run", url), cwd=place, env={"OPENAI_API_KEY": KEY}, stderr=subprocess.DEVNULL
        )
        assert arrived.wait(30)
        title = b"".join(Path(f"/proc/{running.pid}/{name}").read_bytes() for name in ("cmdline", "comm"))
        go_on.set()
        assert running.wait(60) == 0
    assert b"openai:asked-model" in title and KEY.encode() not in title
