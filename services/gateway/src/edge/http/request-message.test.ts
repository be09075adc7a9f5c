import assert from "node:assert/strict";
import { createServer, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { until } from "@muster/testing";
import fc from "fast-check";
import { type TestContext, test } from "vitest";
import { RequestMessage, spreadRequests } from "./spread-requests.ts";

type Read = (request: IncomingMessage) => Promise<unknown>;

/** A server that reads the requests in this way. Resolves with its port. */
async function serve(t: Pick<TestContext, "onTestFinished">, read: Read): Promise<number> {
  const server = createServer({ IncomingMessage: RequestMessage }, async (request, response) => {
    const text = `${JSON.stringify(await read(request))};`;
    response.writeHead(200, { "content-length": text.length }).end(text);
  });
  spreadRequests(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  return address.port;
}

function chunked(body: Buffer, lengths: readonly number[]): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0, next = 0; at < body.length; next++) {
    const piece = body.subarray(at, at + (lengths[next % lengths.length] ?? 1));
    parts.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from("\r\n"));
    at += piece.length;
  }
  return Buffer.concat([...parts, Buffer.from("0\r\n\r\n")]);
}

/** Sends the bytes, cut into writes. Resolves with the body of the response. */
async function send(port: number, bytes: Buffer, writeBytes = bytes.length): Promise<unknown> {
  const socket = connect(port, "127.0.0.1");
  const received: Buffer[] = [];
  socket.on("data", (data) => received.push(data));
  for (let at = 0; at < bytes.length; at += writeBytes) {
    socket.write(bytes.subarray(at, at + writeBytes));
    await new Promise((resolve) => setImmediate(resolve));
  }
  const body = () => /\r\n\r\n(.*)$/s.exec(Buffer.concat(received).toString())?.[1] ?? "";
  await until("the response is there", () => body().endsWith(";"));
  socket.destroy();
  return JSON.parse(body().slice(0, -1));
}

const head = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";

const readers: Record<string, Read> = {
  "by events": (request) =>
    new Promise((resolve) => {
      let text = "";
      request.on("data", (piece) => {
        text += piece.toString("latin1");
      });
      request.on("end", () => resolve(text));
    }),
  "in a loop that pauses": async (request) => {
    let text = "";
    for await (const piece of request) {
      text += piece.toString("latin1");
      await new Promise((resolve) => setImmediate(resolve));
    }
    return text;
  },
  "some time later": async (request) => {
    for (let count = 0; count < 5; count++) await new Promise((resolve) => setImmediate(resolve));
    return (await request.toArray()).map((piece: Buffer) => piece.toString("latin1")).join("");
  },
};

for (const [name, read] of Object.entries(readers)) {
  test(`a body that is read ${name} is the one that was sent, however it was cut`, async (t) => {
    const port = await serve(t, read);
    const lengths = fc.array(fc.integer({ min: 1, max: 30_000 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: 200_000 }),
        lengths,
        fc.integer({ min: 5_000, max: 100_000 }),
        async (length, chunkLengths, writeBytes) => {
          const body = Buffer.alloc(length, "abcdefghijklmnopqrstuvwxyz0123456789.");
          const bytes = Buffer.concat([Buffer.from(head), chunked(body, chunkLengths)]);
          assert.equal(await send(port, bytes, writeBytes), body.toString());
        },
      ),
      { numRuns: 20 },
    );
  });
}

test("chunks of one byte reach the reader in few pieces", async (t) => {
  const port = await serve(t, async (request) => {
    let pieces = 0;
    for await (const piece of request) pieces += piece.length > 0 ? 1 : 0;
    return pieces;
  });
  const bytes = Buffer.concat([Buffer.from(head), chunked(Buffer.alloc(100_000, "x"), [1])]);
  const pieces = await send(port, bytes);
  assert.ok(Number(pieces) < 200, `${pieces} pieces`);
});
