import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { silentLogger } from "@muster/service";
import { failureOf } from "@muster/testing";
import { onTestFinished, test } from "vitest";
import { createMetricsServer } from "./server.ts";

interface Source {
  contentType: string;
  render(): Promise<string>;
}

const lines: Source = { contentType: "text/plain; version=0.0.4", render: async () => "a 1\n" };

async function serve(source: Source = lines, port = 0) {
  const server = createMetricsServer({ source, host: "127.0.0.1", port, log: silentLogger });
  const url = await server.start();
  onTestFinished(() => server.stop());
  return { url, port: Number(new URL(url).port), stop: () => server.stop() };
}

test("the server has one path, for one method", async () => {
  const { url } = await serve();
  const found = await fetch(`${url}?format=any`);
  assert.deepEqual([found.status, await found.text()], [200, "a 1\n"]);
  assert.equal(found.headers.get("content-type"), lines.contentType);
  for (const path of ["/", "/metrics/", "/METRICS", "/metrics%2f", "//metrics", "/favicon.ico"])
    assert.equal((await fetch(new URL(url).origin + path)).status, 404, path);
  for (const method of ["POST", "PUT", "DELETE", "HEAD", "OPTIONS"]) {
    const response = await fetch(url, { method });
    assert.deepEqual([response.status, response.headers.get("allow")], [405, "GET"], method);
  }
});

test("input that is not HTTP, and headers without end, close their connection and nothing else", async () => {
  const { url, port } = await serve();
  for (const bytes of [
    "\0\0\r\n\r\n",
    `GET /metrics HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(20_000)}\r\n\r\n`,
  ]) {
    const socket = connect(port, "127.0.0.1").on("error", () => {});
    socket.resume().write(bytes);
    await once(socket, "close");
  }
  assert.equal((await fetch(url)).status, 200);
});

test("a rendering that fails is 500, and the next scrape is tried again", async () => {
  let fails = true;
  const { url } = await serve({
    contentType: "text/plain",
    render: async () => {
      if (fails) throw new Error("secret");
      return "a 1\n";
    },
  });
  const failed = await fetch(url);
  assert.equal(failed.status, 500);
  assert.doesNotMatch(await failed.text(), /secret/);
  fails = false;
  assert.equal((await fetch(url)).status, 200);
});

test("a port in use is a sentence that names the setting", async () => {
  const { port } = await serve();
  const failure = await failureOf(serve(lines, port));
  assert.match(String(failure), /METRICS_PORT \d+ is already in use on 127\.0\.0\.1; .*METRICS_PORT=\d+/);
});

test("a stop ends connections that scrapers keep open", async () => {
  const { url, port, stop } = await serve();
  const socket = connect(port, "127.0.0.1").on("error", () => {});
  await once(socket, "connect");
  const closed = once(socket.resume(), "close");
  await stop();
  await closed;
  await assert.rejects(fetch(url));
});
