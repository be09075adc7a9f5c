import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { gzipSync } from "node:zlib";
import { type TestContext, test } from "vitest";
import { createFetch } from "./fetch.ts";

async function serve(t: TestContext, listener: RequestListener) {
  const server = createServer(listener);
  let connections = 0;
  server.on("connection", () => connections++);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // One test moves many megabytes that are not events.
  const models = createFetch({
    maxEventBytes: 2 ** 30,
    maxResponseBytes: 2 ** 30,
    maxBytesPerSecond: 2 ** 30,
  });
  t.onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await models.close();
  });
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  return {
    url: `http://127.0.0.1:${address.port}/v1/x?a=1`,
    fetch: models.fetch,
    connections: () => connections,
  };
}

const post = {
  method: "POST",
  headers: { "content-type": "application/json", "x-test": "a" },
  body: '{"a":"ö"}',
};

test("the client sends method, path, headers and body, and returns status, headers and body", async (t) => {
  const { url, fetch } = await serve(t, async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const { method, url, headers } = request;
    response.writeHead(418, "Teapot", { "x-seen": "yes", "set-cookie": ["a=1", "b=2"] });
    response.end(
      JSON.stringify({ method, url, type: headers["content-type"], test: headers["x-test"], body }),
    );
  });
  const response = await fetch(url, post);
  assert.equal(response.status, 418);
  assert.equal(response.statusText, "Teapot");
  assert.equal(response.headers.get("x-seen"), "yes");
  assert.deepEqual(await response.json(), {
    method: "POST",
    url: "/v1/x?a=1",
    type: "application/json",
    test: "a",
    body: post.body,
  });
});

test("the client returns each piece of a stream as it arrives", async (t) => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const { url, fetch } = await serve(t, async (_, response) => {
    response.write("first");
    await held;
    response.end("second");
  });
  const reader = (await fetch(url, post)).body?.getReader();
  assert.equal(String(Buffer.from((await reader?.read())?.value ?? [])), "first");
  release();
  assert.equal(String(Buffer.from((await reader?.read())?.value ?? [])), "second");
  assert.equal((await reader?.read())?.done, true);
});

test("the client reuses connections", async (t) => {
  const { url, fetch, connections } = await serve(t, (_, response) => response.end("ok"));
  for (let i = 0; i < 5; i++) assert.equal(await (await fetch(url, post)).text(), "ok");
  // The client waits a turn of the event loop before it trusts a connection again, so two take turns.
  assert.ok(connections() <= 2);
});

test("an abort before the response rejects with its reason and closes the connection", async (t) => {
  const { promise: gone, resolve } = Promise.withResolvers<void>();
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
  const { url, fetch } = await serve(t, (request) => {
    arrive();
    request.socket.once("close", () => resolve());
  });
  const controller = new AbortController();
  const fetching = fetch(url, { ...post, signal: controller.signal });
  await arrived;
  const reason = new Error("Enough");
  controller.abort(reason);
  await assert.rejects(fetching, (error) => error === reason);
  await gone;
});

test("an abort in the middle of the body fails the body with its reason and closes the connection", async (t) => {
  const { promise: gone, resolve } = Promise.withResolvers<void>();
  const { url, fetch } = await serve(t, (_, response) => {
    response.write("first");
    response.once("close", () => resolve());
  });
  const controller = new AbortController();
  const reader = (await fetch(url, { ...post, signal: controller.signal })).body?.getReader();
  await reader?.read();
  const reason = new Error("Enough");
  controller.abort(reason);
  await assert.rejects(
    async () => reader?.read(),
    (error) => error === reason,
  );
  await gone;
});

test("a request with an aborted signal is not sent", async (t) => {
  const { url, fetch, connections } = await serve(t, (_, response) => response.end());
  await assert.rejects(async () => fetch(url, { ...post, signal: AbortSignal.abort(new Error("No")) }), /No/);
  assert.equal(connections(), 0);
});

test("cancelling the body closes the connection", async (t) => {
  const { promise: gone, resolve } = Promise.withResolvers<void>();
  const { url, fetch } = await serve(t, (_, response) => {
    response.write("first");
    response.once("close", () => resolve());
  });
  await (await fetch(url, post)).body?.cancel();
  await gone;
});

test("a connection that breaks in the body is reported after the received data", async (t) => {
  const { url, fetch } = await serve(t, (_, response) => {
    response.write("first", () => setImmediate(() => response.destroy()));
  });
  await assert.rejects(
    async () => (await fetch(url, post)).text(),
    (error) => {
      assert.ok(error instanceof TypeError && error.cause instanceof Error && "code" in error.cause);
      assert.equal(error.cause.code, "UND_ERR_SOCKET");
      return true;
    },
  );
});

test("a refused connection fails as it does with fetch, with the code as its cause", async () => {
  await assert.rejects(createFetch().fetch("http://127.0.0.1:1/", post), (error) => {
    assert.ok(error instanceof TypeError && error.cause instanceof Error && "code" in error.cause);
    assert.equal(error.message, "fetch failed");
    assert.equal(error.cause.code, "ECONNREFUSED");
    return true;
  });
});

test("a reader that stops pauses the sender and still receives everything", async (t) => {
  const piece = Buffer.alloc(1024 * 1024, "x");
  const pieces = 32;
  let written = 0;
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  const { url, fetch } = await serve(t, async (_, response) => {
    for (let i = 0; i < pieces; i++) {
      written++;
      if (response.write(piece)) continue;
      if (response.writableLength > 8 * piece.length) stop();
      await new Promise((resolve) => response.once("drain", resolve));
    }
    response.end();
  });
  const response = await fetch(url, post);
  // The sockets in between buffer a few megabytes, then the sender waits.
  await Promise.race([stopped, new Promise((resolve) => setTimeout(resolve, 300))]);
  assert.ok(written < pieces, `${written} of ${pieces} pieces were accepted`);
  assert.equal((await response.arrayBuffer()).byteLength, pieces * piece.length);
});

test("a body that a proxy compressed is unpacked", async (t) => {
  const { url, fetch } = await serve(t, (_, response) => {
    response.writeHead(200, { "content-encoding": "gzip" });
    response.end(gzipSync("packed"));
  });
  assert.equal(await (await fetch(url, post)).text(), "packed");
});

test("a response without a body and a redirect are returned unchanged", async (t) => {
  const { url, fetch } = await serve(t, (request, response) => {
    if (request.method === "GET") response.writeHead(307, { location: "http://127.0.0.1:1/" }).end();
    else response.writeHead(204).end();
  });
  const empty = await fetch(url, post);
  assert.equal(empty.status, 204);
  assert.equal(empty.body, null);
  assert.equal((await fetch(url)).status, 307);
});

test("a request that the client does not support goes to the global fetch", async (t) => {
  const { url, fetch } = await serve(t, (request, response) => response.end(request.headers["content-type"]));
  const form = new FormData();
  form.set("a", "b");
  assert.match(await (await fetch(url, { method: "POST", body: form })).text(), /^multipart\/form-data/);
});
