"""A model that answers by the clock, for load on the service: no thought, exact delays.

python -m bench.scripted_model --first-ms 50 --tokens 20 --every-ms 50
"""

import argparse
import asyncio
import json
import sys

_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"


def main() -> None:
    """Print the port, then answer until stopped; print a line for every client that left."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first-ms", type=float, default=50)
    parser.add_argument("--tokens", type=int, default=20)
    parser.add_argument("--every-ms", type=float, default=50)
    asyncio.run(_serve(parser.parse_args()))


async def _serve(options: argparse.Namespace) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(
            int(line.split(b":")[1])
            for line in head.lower().split(b"\r\n")
            if line.startswith(b"content-length")
        )
        await reader.readexactly(length)
        try:
            await _stream(writer, options)
        except ConnectionError:
            print("left", flush=True)
        finally:
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0, backlog=1000)
    print(server.sockets[0].getsockname()[1], flush=True)
    sys.stdout.flush()
    await server.serve_forever()


async def _stream(writer: asyncio.StreamWriter, options: argparse.Namespace) -> None:
    writer.write(_HEAD)
    for number in range(options.tokens):
        await asyncio.sleep((options.every_ms if number else options.first_ms) / 1000)
        last = number == options.tokens - 1
        writer.write(_event(f"word{number} ", "stop" if last else None))
        await writer.drain()
    writer.write(b"data: [DONE]\n\n")
    await writer.drain()


def _event(text: str, finish_reason: str | None) -> bytes:
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": finish_reason}
    chunk = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "scripted"}
    return b"data: " + json.dumps({**chunk, "choices": [choice]}).encode() + b"\n\n"


if __name__ == "__main__":
    main()
