import assert from "node:assert/strict";
import { createWriteStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { aborted, failureOf, serve, type TestScope, temporaryDirectory, until } from "@muster/testing";
import { test } from "vitest";
import { fetchInTest, serveTcp } from "../test/support/servers.ts";
import type { FetchOptions } from "./guarded-fetch.ts";

const fetchFrom = (url: string, options: FetchOptions = {}, signal?: AbortSignal) =>
  fetchInTest({ privateOrigins: [url] })(url, options, signal);

/** A server that reports when its connections are closed. */
async function watched(t: TestScope, listener: (request: IncomingMessage, response: ServerResponse) => void) {
  const closed = Promise.withResolvers<void>();
  const url = await serve(t, (request, response) => {
    response.on("error", () => undefined).on("close", () => closed.resolve());
    listener(request, response);
  });
  return { url, closed: closed.promise };
}

test("a body beyond the limit ends the connection, whatever its Content-Length", async (t) => {
  const { url, closed } = await watched(t, (_request, response) => {
    const write = () => {
      while (!response.destroyed && response.write("x".repeat(65_536)));
      if (!response.destroyed) response.once("drain", write);
    };
    write();
  });
  const response = await fetchFrom(url, { maxBytes: 1_000_000 });
  await assert.rejects(response.bytes(), { reason: "too-large", message: /1000000 bytes/ });
  await closed;
});

test("a Content-Length beyond the limit is refused before the body", async (t) => {
  const { url, closed } = await watched(t, (_request, response) => {
    response.writeHead(200, { "content-length": "200000000" }).flushHeaders();
  });
  await assert.rejects(fetchFrom(url), { reason: "too-large" });
  await closed;
});

test("a HEAD request may name a length beyond the limit", async (t) => {
  const url = await serve(t, (_request, response) =>
    response.writeHead(200, { "content-length": "200000000" }).end(),
  );
  const response = await fetchFrom(url, { method: "HEAD" });
  assert.equal(response.headers.get("content-length"), "200000000");
  assert.equal((await response.bytes()).length, 0);
});

const encodings = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync };
for (const [encoding, compress] of Object.entries(encodings)) {
  test(`a ${encoding} body is decoded`, async (t) => {
    const url = await serve(t, (_request, response) => {
      response.writeHead(200, { "content-encoding": encoding }).end(compress("decoded text"));
    });
    const response = await fetchFrom(url);
    assert.equal(response.headers.get("content-encoding"), null);
    assert.equal(await response.text(), "decoded text");
  });

  test(`a ${encoding} bomb ends at the limit of its decoded size`, async (t) => {
    const bomb = compress(Buffer.alloc(50_000_000));
    const { url, closed } = await watched(t, (_request, response) => {
      response.writeHead(200, { "content-encoding": encoding }).end(bomb);
    });
    const response = await fetchFrom(url, { maxBytes: 1_000_000 });
    let received = 0;
    const reading = async () => {
      for await (const chunk of response.body) received += (chunk as Buffer).length;
    };
    await assert.rejects(reading(), { reason: "too-large" });
    assert.ok(received <= 1_000_000, `${received} bytes were decoded`);
    await closed;
  });

  test(`a ${encoding} body that is broken or cut off is a bad response`, async (t) => {
    const whole = compress("decoded text ".repeat(1000));
    for (const body of [Buffer.from("not compressed at all"), whole.subarray(0, whole.length - 8)]) {
      const url = await serve(t, (_request, response) => {
        response.writeHead(200, { "content-encoding": encoding }).end(body);
      });
      await assert.rejects((await fetchFrom(url)).bytes(), { reason: "bad-response" });
    }
  });
}

test("an encoding that was not asked for, or a second one, is a bad response", async (t) => {
  for (const encoding of ["zstd", "gzip, gzip", "constructor", "__proto__"]) {
    const url = await serve(t, (_request, response) => {
      response.writeHead(200, { "content-encoding": encoding }).end("x");
    });
    await assert.rejects(fetchFrom(url), { reason: "bad-response" });
  }
});

test("a body stays encoded if the caller wants it as sent", async (t) => {
  const url = await serve(t, (_request, response) => {
    response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("text"));
  });
  const response = await fetchFrom(url, { decode: false });
  assert.deepEqual(Buffer.from(await response.bytes()), gzipSync("text"));
});

test("a server that accepts and never answers is too slow", async (t) => {
  const url = await serveTcp(t, () => undefined);
  await assert.rejects(fetchFrom(url, { timeoutMs: 50 }), { reason: "too-slow" });
});

test("a TLS server that never completes its handshake is too slow", async (t) => {
  const url = (await serveTcp(t, () => undefined)).replace("http:", "https:");
  await assert.rejects(fetchFrom(url, { timeoutMs: 50 }), { reason: "too-slow" });
});

test("a resolver that never answers is too slow", async () => {
  const resolve = () => new Promise<never>(() => undefined);
  const fetching = fetchInTest({ resolve })("https://files.example/", { timeoutMs: 50 });
  await assert.rejects(fetching, { reason: "too-slow" });
});

test("a body that drips ends at the deadline of the whole fetch", async (t) => {
  const { url, closed } = await watched(t, (_request, response) => {
    const timer = setInterval(() => response.write("x"), 5);
    response.on("close", () => clearInterval(timer));
  });
  const response = await fetchFrom(url, { timeoutMs: 300 });
  await assert.rejects(response.text(), { reason: "too-slow" });
  await closed;
});

test("a body without a reader is closed at the deadline and crashes nothing", async (t) => {
  const { url, closed } = await watched(t, (_request, response) => response.write("x"));
  const response = await fetchFrom(url, { timeoutMs: 300 });
  await closed;
  await until(() => response.body.destroyed);
  await assert.rejects(response.text(), { reason: "too-slow" });
});

test("a body that stops ends after the longest wait for the next bytes", async (t) => {
  const { url, closed } = await watched(t, (_request, response) => response.write("x"));
  const response = await fetchFrom(url, { timeoutMs: 600_000, stallMs: 100 });
  await assert.rejects(response.text(), { reason: "too-slow" });
  await closed;
});

test("an endless header is a bad response", async (t) => {
  const url = await serveTcp(t, (socket) => {
    socket.write("HTTP/1.1 200 OK\r\n");
    const write = () => {
      while (!socket.destroyed && socket.write(`X-Filler: ${"x".repeat(1000)}\r\n`));
      if (!socket.destroyed) socket.once("drain", write);
    };
    write();
  });
  await assert.rejects(fetchFrom(url), { reason: "bad-response" });
});

test("a response that is not HTTP is a bad response", async (t) => {
  const url = await serveTcp(t, (socket) => socket.end("SSH-2.0-OpenSSH_9.2\r\n"));
  await assert.rejects(fetchFrom(url), { reason: "bad-response" });
});

test("a connection that breaks before or within the body is unreachable", async (t) => {
  const early = await serveTcp(t, (socket) => socket.destroy());
  await assert.rejects(fetchFrom(early), { reason: "unreachable" });
  const late = await serveTcp(t, (socket) => {
    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", () => socket.destroy());
  });
  await assert.rejects(
    fetchFrom(late).then((response) => response.text()),
    { reason: "unreachable" },
  );
});

test("the caller's signal ends a fetch with its reason, before and within the body", async (t) => {
  const { url, closed } = await watched(t, (_request, response) => response.write("x"));
  const reason = new Error("The caller has left");
  assert.equal(await failureOf(fetchFrom(url, {}, AbortSignal.abort(reason))), reason);
  const silent = await serveTcp(t, () => undefined);
  const early = new AbortController();
  const fetching = failureOf(fetchFrom(silent, {}, early.signal));
  early.abort(reason);
  assert.equal(await fetching, reason);
  const late = new AbortController();
  const response = await fetchFrom(url, {}, late.signal);
  const reading = failureOf(response.text());
  late.abort(reason);
  assert.equal(await reading, reason);
  await closed;
});

test("a reader that leaves closes the connection", async (t) => {
  const { url, closed } = await watched(t, (_request, response) => response.write("x"));
  const response = await fetchFrom(url);
  response.body.destroy();
  await closed;
});

test("a large file streams to a disk with the reader's pace", async (t) => {
  const size = 20_000_000;
  const url = await serve(t, (_request, response) => response.end(Buffer.alloc(size, "x")));
  const response = await fetchFrom(url, { maxBytes: size });
  const path = join(await temporaryDirectory(t), "file");
  await pipeline(response.body, createWriteStream(path));
  assert.equal((await stat(path)).size, size);
});

test("a body that is not UTF-8 or not JSON is a bad response", async (t) => {
  const url = await serve(t, (request, response) => {
    response.end(request.url === "/latin1" ? Buffer.from([0x22, 0xe9, 0x22]) : "<html>");
  });
  const fetch = fetchInTest({ privateOrigins: [url] });
  await assert.rejects(
    fetch(`${url}/latin1`).then((response) => response.text()),
    { reason: "bad-response" },
  );
  await assert.rejects(
    fetch(`${url}/html`).then((response) => response.json()),
    { reason: "bad-response" },
  );
});

test("an aborted signal of a finished fetch does no harm", async (t) => {
  const url = await serve(t, (_request, response) => response.end("done"));
  const controller = new AbortController();
  const response = await fetchFrom(url, {}, controller.signal);
  assert.equal(await response.text(), "done");
  controller.abort();
  assert.ok((await aborted(controller.signal)) instanceof DOMException);
});
