import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { freePort, until } from "@muster/testing";
import Fastify from "fastify";
import { type TestContext, test } from "vitest";
import { listenOnSeveral } from "./listen-on-several.ts";

const host = "127.0.0.1";

async function start(t: TestContext, port: number, answer: RequestListener = () => {}) {
  const server = createServer(answer);
  const listeners = await listenOnSeveral(server, { host, port }, async (options) => {
    server.listen(options);
    await once(server, "listening");
  });
  t.onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await listeners.close();
  });
  return { server, listeners };
}

function open(t: TestContext, port: number): Socket {
  const socket = connect({ host, port });
  t.onTestFinished(() => void socket.destroy());
  return socket;
}

async function request(t: TestContext, port: number): Promise<{ socket: Socket; received: () => string }> {
  const socket = open(t, port);
  let text = "";
  socket.on("data", (data) => {
    text += data.toString();
  });
  socket.write("GET / HTTP/1.1\r\nHost: muster\r\n\r\n");
  return { socket, received: () => text };
}

/** Several, so that some certainly arrive at each kind of listening socket. */
const clients = 160;

test("a burst of connections is accepted in few iterations of the event loop", async (t) => {
  const port = await freePort();
  const { server } = await start(t, port);
  let accepted = 0;
  let iterations = 0;
  server.on("connection", () => accepted++);
  for (let client = 0; client < clients; client++) open(t, port);
  while (accepted < clients) {
    await new Promise((resolve) => setImmediate(resolve));
    if (accepted > 0) iterations++;
  }
  assert.ok(iterations < clients / 2, `${clients} connections took ${iterations} iterations`);
});

test("a port that another server of this kind listens on is in use", async (t) => {
  const port = await freePort();
  await start(t, port);
  const second = createServer();
  await assert.rejects(
    listenOnSeveral(second, { host, port }, async (options) => void second.listen(options)),
    { code: "EADDRINUSE" },
  );
});

test("every connection is served, and the server counts it as its own", async (t) => {
  const port = await freePort();
  const { server } = await start(t, port, (_request, response) => void response.end("hello"));
  const asked = await Promise.all(Array.from({ length: clients }, () => request(t, port)));
  await until(() => asked.every(({ received }) => received().endsWith("hello")));
  const closed = asked.map(({ socket }) => once(socket, "close"));
  server.closeIdleConnections();
  await Promise.all(closed);
});

test.for(["a free port", "a given port"])(
  "a second address of the host is served by the same server, on %s",
  async (which, t) => {
    const app = Fastify();
    app.get("/", async () => "hello");
    const served: Array<string | undefined> = [];
    app.server.on("connection", ({ localAddress }: Socket) => served.push(localAddress));
    const address = { host: "localhost", port: which === "a free port" ? 0 : await freePort() };
    const listeners = await listenOnSeveral(
      app.server,
      address,
      (options) => app.listen(options),
      async () => ["127.0.0.1", "127.0.0.2"],
    );
    t.onTestFinished(async () => void (await Promise.all([listeners.close(), app.close()])));
    const { port } = app.server.address() as AddressInfo;
    for (const name of ["127.0.0.1", "127.0.0.2"]) {
      const response = await fetch(`http://${name}:${port}/`, { headers: { connection: "close" } });
      assert.equal(await response.text(), "hello");
    }
    assert.deepEqual(served, ["127.0.0.1", "127.0.0.2"]);
  },
);

test("closing refuses new connections and waits for the responses in progress", async (t) => {
  const port = await freePort();
  const responses: Array<() => void> = [];
  const { server, listeners } = await start(t, port, (_request, response) => {
    responses.push(() => void response.end("hello"));
  });
  const asked = await Promise.all(Array.from({ length: clients }, () => request(t, port)));
  await until(() => responses.length === clients);
  let isClosed = false;
  const closing = Promise.all([listeners.close(), new Promise((resolve) => server.close(resolve))]).then(
    () => {
      isClosed = true;
    },
  );
  const [refused] = await once(open(t, port), "error");
  assert.equal(refused.code, "ECONNREFUSED");
  assert.equal(isClosed, false);
  for (const respond of responses) respond();
  await until(() => asked.every(({ received }) => received().includes("hello")));
  server.closeIdleConnections();
  await closing;
});

test("refusing ends idle connections and none that is in use, and closing then waits for those", async (t) => {
  const port = await freePort();
  const responses: Array<() => void> = [];
  const { server, listeners } = await start(t, port, (_request, response) => {
    responses.push(() => void response.end("hello"));
  });
  const idle = await Promise.all(Array.from({ length: clients }, () => request(t, port)));
  await until(() => responses.length === clients);
  for (const respond of responses.splice(0)) respond();
  await until(() => idle.every(({ received }) => received().endsWith("hello")));
  const inUse = await Promise.all(Array.from({ length: clients }, () => request(t, port)));
  await until(() => responses.length === clients);
  const ended = idle.map(({ socket }) => once(socket, "close"));
  await Promise.all([listeners.refuse(), listeners.refuse()]);
  await Promise.all(ended);
  const [refused] = await once(open(t, port), "error");
  assert.equal(refused.code, "ECONNREFUSED");
  let isClosed = false;
  const closing = listeners.close().then(() => {
    isClosed = true;
  });
  for (const { socket } of inUse) socket.write("GET / HTTP/1.1\r\nHost: muster\r\n\r\n");
  for (const respond of responses.splice(0)) respond();
  await until("every connection is served once more", () => responses.length === clients);
  assert.equal(isClosed, false);
  for (const respond of responses) respond();
  await until(() => inUse.every(({ received }) => received().split("hello").length === 3));
  server.closeIdleConnections();
  await Promise.all([closing, new Promise((resolve) => server.close(resolve))]);
});

test("connections that wait to be accepted are served before new ones are refused", async (t) => {
  const port = await freePort();
  const { listeners } = await start(t, port, (_request, response) => void response.end("hello"));
  const asked = await Promise.all(Array.from({ length: clients }, () => request(t, port)));
  const errors = new Set<unknown>();
  for (const { socket } of asked) socket.on("error", (error) => errors.add(error));
  // Now the system has accepted all of them, and this process none.
  await new Promise((resolve) => process.nextTick(resolve));
  await listeners.refuse();
  await until(() => asked.every(({ received }) => received().endsWith("hello")) || errors.size > 0);
  assert.deepEqual(errors, new Set());
});

test("a port that the system chooses is served by one listening socket", async (t) => {
  const { server, listeners } = await start(t, 0, (_request, response) => void response.end("hello"));
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  const { received } = await request(t, address.port);
  await until(() => received().includes("hello"));
  server.close();
  server.closeIdleConnections();
  await listeners.close();
});
