"""A page in a real Chromium, driven over the DevTools protocol: its size, its colours, its console, its requests."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import itertools
import shutil
import tempfile
from pathlib import Path
from typing import Any

import aiohttp

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
NEEDS = "needs Chromium: install the Debian package chromium"
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-port=0",
)


class Page:
    """One tab. `events` holds what it has told so far."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket, self._ids = socket, itertools.count(1)
        self.events: list[dict[str, Any]] = []

    async def call(self, method: str, **params: Any) -> dict[str, Any]:
        number = next(self._ids)
        await self._socket.send_json({"id": number, "method": method, "params": params})
        while True:
            told = await asyncio.wait_for(self._socket.receive_json(), 60)
            if told.get("id") == number:
                assert "error" not in told, told
                return dict(told["result"])
            self.events.append(told)

    async def evaluate(self, expression: str) -> Any:
        found = await self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    async def look(self, path: Path, width: int, scheme: str) -> None:
        """Open the file at this width of CSS pixels and in this colour scheme."""
        for domain in ("Page", "Runtime", "Network", "Log"):
            await self.call(f"{domain}.enable")
        await self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600
        )
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        await self.call("Emulation.setEmulatedMedia", features=features)
        await self.call("Page.navigate", url=path.resolve().as_uri())
        for _ in range(200):
            if await self.evaluate("document.readyState") == "complete":
                break
            await asyncio.sleep(0.05)
        await asyncio.sleep(0.2)

    async def picture(self, path: Path, top: float = 0, height: float | None = None) -> None:
        whole = await self.evaluate("document.documentElement.scrollHeight")
        width = await self.evaluate("innerWidth")
        clip = {"x": 0, "y": top, "width": width, "height": min(height or whole, whole - top), "scale": 1}
        found = await self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
        path.write_bytes(base64.b64decode(found["data"]))


@contextlib.asynccontextmanager
async def opened() -> Any:
    """A new Chromium with one tab, ended on leaving."""
    assert CHROMIUM is not None
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process = await asyncio.create_subprocess_exec(
            CHROMIUM,
            *FLAGS,
            f"--user-data-dir={profile}",
            "about:blank",
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        try:
            told = Path(profile) / "DevToolsActivePort"
            for _ in range(400):
                if told.exists() and told.read_text().count("\n"):
                    break
                await asyncio.sleep(0.05)
            port = told.read_text().split("\n")[0]
            async with aiohttp.ClientSession() as session:
                async with session.get(f"http://127.0.0.1:{port}/json/list") as answer:
                    tabs = [tab for tab in await answer.json() if tab["type"] == "page"]
                async with session.ws_connect(tabs[0]["webSocketDebuggerUrl"], max_msg_size=0) as socket:
                    yield Page(socket)
                    with contextlib.suppress(Exception):
                        await asyncio.wait_for(socket.send_json({"id": 0, "method": "Browser.close"}), 5)
        finally:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), 5)
            if process.returncode is None:
                process.kill()
                await process.wait()
