import assert from "node:assert/strict";
import { channel } from "node:diagnostics_channel";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { type TestContext, test } from "vitest";
import { createFetch } from "./fetch.ts";

const event = `data: ${"x".repeat(200)}\n\n`;

/** A provider that sends as fast as it is read. */
async function endlessProvider(t: TestContext): Promise<string> {
  const server = createServer((_request, response) => {
    const write = (): void => {
      while (!response.destroyed) {
        if (!response.write(event.repeat(80))) return void response.once("drain", write);
      }
    };
    write();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** The sockets that the client of model providers opens during the test. */
function openedSockets(t: TestContext): Socket[] {
  const sockets: Socket[] = [];
  const connected = channel("undici:client:connected");
  const keep = (message: unknown): void => {
    sockets.push((message as { socket: Socket }).socket);
  };
  connected.subscribe(keep);
  t.onTestFinished(() => void connected.unsubscribe(keep));
  return sockets;
}

test("a response that is read more slowly than it arrives does not pile up in its connection", async (t) => {
  const sockets = openedSockets(t);
  const url = await endlessProvider(t);
  const models = createFetch({
    maxEventBytes: 2 ** 20,
    maxResponseBytes: 2 ** 30,
    maxBytesPerSecond: 2 ** 30,
  });
  t.onTestFinished(() => models.close());
  const reader = (await models.fetch(url)).body?.getReader();
  let mostBytes = 0;
  for (let readBytes = 0; readBytes < 8 * 2 ** 20; ) {
    readBytes += (await reader?.read())?.value?.length ?? 0;
    mostBytes = Math.max(mostBytes, sockets[0]?.readableLength ?? 0);
  }
  await reader?.cancel();
  assert.equal(sockets.length, 1);
  assert.ok(mostBytes <= 192 * 1024, `${mostBytes} bytes waited in the connection`);
});
