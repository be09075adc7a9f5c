import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { connect, createServer as createTcpServer, type Socket, Server as TcpServer } from "node:net";
import { until } from "@muster/testing";
import { describe, type TestContext, test } from "vitest";
import { agentBody, type Edge, startEdge } from "../../../test/support/start-edge.ts";
import { gatewayDefaults } from "../../config.ts";
import { cutStoppedReaders, ReaderProgress } from "./slow-readers.ts";

const requests = 16;

/** More than a system keeps for a reader that reads nothing: a document of almost a megabyte, several times. */
async function readNothing(t: TestContext, edge: Edge): Promise<Socket> {
  const notes = Array.from({ length: 15 }, (_, n) => ({ name: `note-${n}`, content: "x".repeat(60_000) }));
  const body = agentBody("large");
  const created = await edge.call("POST", "/api/agents", {
    body: { ...body, prompts: [...body.prompts, ...notes] },
  });
  assert.equal(created.status, 201, created.text);
  const reader = connect(Number(new URL(edge.url).port), "127.0.0.1");
  t.onTestFinished(() => void reader.destroy());
  reader.on("error", () => undefined);
  reader.pause();
  const request = `GET /api/agents/large?by=slug HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${edge.adminKey}\r\n\r\n`;
  reader.write(request.repeat(requests));
  return reader;
}

describe("readers of ordinary responses", () => {
  test("one that stops is cut, so that its requests give their places back", async (t) => {
    const edge = await startEdge(t, undefined, {
      // A principal may have two thirds of them.
      maxRequestsInProgress: (requests * 3) / 2,
      streams: { ...gatewayDefaults.streams, drainTimeoutMs: 500 },
    });
    await readNothing(t, edge);
    const free = async () => {
      const all = Array.from({ length: requests }, () => edge.call("GET", "/api/agents"));
      return (await Promise.all(all)).filter(({ status }) => status === 200).length;
    };
    await until("the reader has places", async () => (await free()) < requests);
    await until("all places are free", async () => (await free()) === requests);
  });

  test("one that stops is cut also after the server has begun to refuse new connections", async (t) => {
    const server = createServer((_request, response) => response.end(Buffer.alloc(64 * 1024 * 1024)));
    cutStoppedReaders(server, 200);
    // One of several sockets on a port, whose connections the server does not count.
    const further = createTcpServer((socket) => void server.emit("connection", socket));
    t.onTestFinished(() => void further.close());
    for (const each of [server, further]) await once(each.listen(0, "127.0.0.1"), "listening");
    const address = further.address();
    assert.ok(address !== null && typeof address === "object");
    const accepted = once(server, "connection");
    const reader = connect(address.port, "127.0.0.1");
    t.onTestFinished(() => void reader.destroy());
    const [socket]: Socket[] = await accepted;
    assert.ok(socket);
    TcpServer.prototype.close.call(server);
    await once(server, "close");
    reader.on("error", () => undefined).pause();
    reader.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    await until("the reader is cut", () => socket.destroyed);
  });

  test("one that takes a little of a large write is making progress; one that takes nothing is not", async (t) => {
    const written = Promise.withResolvers<Socket>();
    const server = createServer((_request, response) => {
      response.end(Buffer.alloc(64 * 1024 * 1024));
      if (response.socket) written.resolve(response.socket);
    }).listen(0, "127.0.0.1");
    t.onTestFinished(() => void server.close());
    t.onTestFinished(() => server.closeAllConnections());
    await until("it listens", () => server.listening);
    const address = server.address();
    assert.ok(address !== null && typeof address === "object");
    const reader = connect(address.port, "127.0.0.1");
    reader.pause();
    reader.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    const socket = await written.promise;
    const progress = new ReaderProgress(0);
    let nowMs = 0;
    const stoppedMs = () => {
      nowMs += 1;
      return progress.observe(socket, nowMs);
    };
    await until("the buffers of the system are full", () => stoppedMs() > 20);
    const before = socket.bytesWritten - socket.writableLength;
    await until("some of it was taken", () => {
      reader.read(64 * 1024);
      return stoppedMs() === 0;
    });
    assert.equal(socket.bytesWritten - socket.writableLength, before, "the write is still in progress");
    reader.destroy();
  });
});
