"""A server of chat completions that answers A to everything, at once. It prints its port.

It speaks just as much HTTP as a keep-alive client needs, so that a measurement is of the client.
"""

from __future__ import annotations

import asyncio
import json
import re

_ITEM = re.compile(rb'item_id\\\\*":\s*\\\\*"(q[a-z0-9]{7})|item_id[\\": ]+(q[a-z0-9]{7})')
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)


def reply(body: bytes) -> bytes:
    """The completion for one request."""
    found = _ITEM.search(body)
    item = next(filter(None, found.groups())).decode() if found else "none"
    message = {"role": "assistant", "content": f'{{"item_id":"{item}","answer":"A"}}'}
    told = {
        "id": "c",
        "object": "chat.completion",
        "created": 0,
        "model": "bench",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 300, "completion_tokens": 16, "total_tokens": 316},
    }
    data = json.dumps(told).encode()
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (len(data), data)


class Answers(asyncio.Protocol):
    """One connection."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport, self.held = transport, b""

    def data_received(self, data: bytes) -> None:
        self.held += data
        while (end := self.held.find(b"\r\n\r\n")) >= 0:
            length = _LENGTH.search(self.held, 0, end + 2)
            whole = end + 4 + (int(length.group(1)) if length else 0)
            if len(self.held) < whole:
                return
            body, self.held = self.held[end + 4 : whole], self.held[whole:]
            self.transport.write(reply(body))


async def main() -> None:
    server = await asyncio.get_running_loop().create_server(Answers, "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
