import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { until } from "@muster/testing";
import { type TestContext, test } from "vitest";
import { RequestMessage, spreadRequests } from "./spread-requests.ts";

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

async function serve(
  t: TestContext,
  handle: Handler,
  onUpgrade?: (socket: Duplex, head: Buffer) => void,
): Promise<Socket> {
  const server = createServer({ IncomingMessage: RequestMessage }, handle);
  spreadRequests(server);
  if (onUpgrade) server.on("upgrade", (_request, socket, head) => onUpgrade(socket, head));
  Object.assign(server, { httpAllowHalfOpen: true });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  const socket = connect({ port: address.port, host: "127.0.0.1", allowHalfOpen: true });
  t.onTestFinished(() => {
    socket.destroy();
    server.closeAllConnections();
    server.close();
  });
  return socket;
}

function textOf(socket: Socket): () => string {
  let text = "";
  socket.on("data", (data) => {
    text += data.toString("latin1");
  });
  return () => text;
}

const get = (path: number | string) => `GET /${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

/** The contents of the responses, in their order. */
const answers = (text: string) => [...text.matchAll(/<(.*?)>/gs)].map(([, said]) => said);

const many = 1_000;

test("of pipelined requests eight are in progress at a time, and all are answered in their order", async (t) => {
  let inProgress = 0;
  let most = 0;
  const socket = await serve(t, async ({ url }, response) => {
    inProgress += 1;
    most = Math.max(most, inProgress);
    await new Promise((resolve) => setImmediate(resolve));
    inProgress -= 1;
    response.end(`<${url}>`);
  });
  const text = textOf(socket);
  socket.write(Array.from({ length: many }, (_, index) => get(index)).join(""));
  await until("all are answered", () => answers(text()).length === many);
  assert.deepEqual(
    answers(text()),
    Array.from({ length: many }, (_, index) => `/${index}`),
  );
  assert.equal(most, 8);
});

test("a client that closes its sending side after many requests still gets all responses, and then the end", async (t) => {
  const socket = await serve(t, ({ url }, response) => void response.end(`<${url}>`));
  const text = textOf(socket);
  socket.end(Array.from({ length: many }, (_, index) => get(index)).join(""));
  await once(socket, "end");
  assert.equal(answers(text()).length, many);
});

test("a client that leaves ends its requests, and those that wait never begin", async (t) => {
  let begun = 0;
  let closed = 0;
  const socket = await serve(t, (_request, response) => {
    begun += 1;
    response.once("close", () => closed++);
  });
  socket.write(get("x").repeat(100));
  await until("eight have begun", () => begun === 8);
  socket.resetAndDestroy();
  await until("they have ended", () => closed === 8);
  assert.equal(begun, 8);
});

test("bodies between other requests arrive whole, also if their reader is slow", async (t) => {
  const socket = await serve(t, async (request, response) => {
    let bytes = 0;
    for await (const piece of request) {
      bytes += piece.length;
      await new Promise((resolve) => setImmediate(resolve));
    }
    response.end(`<${request.url} ${bytes}>`);
  });
  const text = textOf(socket);
  const post = (path: number, bytes: number) =>
    `POST /${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${bytes}\r\n\r\n${"x".repeat(bytes)}`;
  const requests = Array.from({ length: 40 }, (_, index) => post(index, (index % 4) * 100_000));
  socket.write(requests.join(""));
  await until("all are answered", () => answers(text()).length === requests.length);
  assert.deepEqual(
    answers(text()),
    requests.map((_, index) => `/${index} ${(index % 4) * 100_000}`),
  );
});

test("a reader that stops does not lose responses, and gets the rest when it reads on", async (t) => {
  const socket = await serve(t, ({ url }, response) => void response.end(`<${url}${"x".repeat(20_000)}>`));
  const text = textOf(socket);
  socket.write(Array.from({ length: 300 }, (_, index) => get(`${index}/`)).join(""));
  await once(socket, "data");
  socket.pause();
  await new Promise((resolve) => setTimeout(resolve, 50));
  socket.resume();
  await until("all are answered", () => answers(text()).length === 300);
});

test("after an upgrade the connection belongs to the new protocol, with all that was sent", async (t) => {
  const socket = await serve(
    t,
    () => undefined,
    (other, head) => {
      other.write(head);
      other.pipe(other);
    },
  );
  const text = textOf(socket);
  const sent = Array.from({ length: 5_000 }, (_, index) => `${index},`).join("");
  socket.write(`GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n${sent}`);
  await until("everything comes back", () => text().length === sent.length);
  socket.write("later");
  await until("more comes back", () => text() === `${sent}later`);
});
