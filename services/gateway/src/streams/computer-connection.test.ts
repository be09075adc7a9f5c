import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { type TestScope, until } from "@muster/testing";
import { test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { ComputerConnection } from "./computer-connection.ts";

test("a computer that takes nothing is cut, so that its connection and the frame that waits for it end", async (t) => {
  const time = { nowMs: 0 };
  const { connection, computer } = await connected(t, time);
  computer.pause();
  let isLast = false;
  const sending = (async () => {
    while (!isLast) await connection.send(Buffer.alloc(1024 * 1024));
  })();
  await until("a frame waits", () => connection.waitingBytes >= 1024 * 1024);
  connection.tick();
  assert.equal(connection.signal.aborted, false);
  isLast = true;
  time.nowMs = 60_001;
  connection.tick();
  await sending;
  await until("it is cut", () => connection.signal.aborted);
});

test("a computer that sends empty frames is read no faster than the platform takes them", async (t) => {
  const { socket, computer, connection } = await connected(t, { nowMs: 0 });
  for (let count = 0; count < 5_000; count++) computer.send(Buffer.alloc(0));
  await until("it is not read", () => socket.isPaused);
  const frames = connection.frames();
  for (let count = 0; count < 5_000; count++) assert.equal((await frames.next()).done, false);
});

async function connected(t: TestScope, time: { nowMs: number }) {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const computer = new WebSocket(`ws://127.0.0.1:${port}`);
  const [[socket]] = await Promise.all([once(server, "connection"), once(computer, "open")]);
  assert.ok(socket instanceof WebSocket);
  t.onTestFinished(() => {
    computer.terminate();
    socket.terminate();
    server.close();
  });
  const connection = new ComputerConnection(
    socket,
    () => time.nowMs,
    () => undefined,
  );
  return { socket, computer, connection };
}
