// Shows with a real nginx that the shipped configuration does what the streams need. `npm run test:proxy`
import assert from "node:assert/strict";
import { once } from "node:events";
import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { record, until } from "@muster/testing";
import { afterEach, beforeEach, test } from "vitest";
import { type RunningProxy, requireNginx, startProxy } from "./nginx.ts";
import { startUpstream, type Upstream } from "./upstream.ts";

requireNginx();

let first: Upstream;
let second: Upstream;
let proxy: RunningProxy;

beforeEach(async () => {
  [first, second] = await Promise.all([startUpstream(), startUpstream()]);
  proxy = await startProxy([first.address, second.address]);
});

afterEach(async () => {
  await proxy.destroy();
  await Promise.all([first.close(), second.close()]);
});

const both = (handler: Parameters<Upstream["handle"]>[0]) => {
  for (const upstream of [first, second]) upstream.handle(handler);
};

/** Sends a request whose body the caller writes; resolves with the response as soon as its headers are there. */
function open(path: string, options: { method?: string; headers?: Record<string, string> } = {}) {
  const sent: ClientRequest = httpRequest(proxy.url + path, { method: "GET", ...options });
  const response = once(sent, "response").then(([message]: IncomingMessage[]) => {
    assert.ok(message);
    return message;
  });
  return { sent, response };
}

const frames = Array.from({ length: 50 }, (_, count) => `data: ${count + 10}\n\n`);
const framings: Array<[string, Record<string, string>]> = [
  ["in chunks", {}],
  ["with a length", { "content-length": String(frames.join("").length) }],
  ["that ends with its connection", { connection: "close" }],
];

for (const [framing, headers] of framings) {
  test(`a reader has each part of a response ${framing} before the gateway writes the next`, async () => {
    const next = new EventTarget();
    both(async (_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", ...headers });
      for (const frame of frames) {
        const taken = once(next, "taken");
        response.write(frame);
        // A buffer on the way would delay this part.
        await taken;
      }
      response.end();
    });
    const { sent, response } = open("/stream", { method: "POST" });
    sent.end("{}");
    const received: string[] = [];
    for await (const chunk of await response) {
      received.push(String(chunk));
      next.dispatchEvent(new Event("taken"));
    }
    assert.deepEqual(received, frames);
  });
}

test("the gateway has each part of a body before the client sends the next", async () => {
  const arrived = new EventTarget();
  both(async (request, response) => {
    for await (const _ of request) arrived.dispatchEvent(new Event("part"));
    response.end("{}");
  });
  const { sent, response } = open("/upload", { method: "PUT", headers: { "content-length": "40000" } });
  for (let count = 0; count < 40; count++) {
    const part = once(arrived, "part");
    sent.write(Buffer.alloc(1_000));
    await part;
  }
  sent.end();
  (await response).resume();
});

test("the gateway notices at once that a reader has left", async () => {
  let hasLeft = false;
  both((_, response) => {
    response.write("data: 1\n\n");
    response.once("close", () => {
      hasLeft = true;
    });
  });
  const { sent, response } = open("/stream");
  sent.end();
  await once(await response, "data");
  sent.on("error", () => undefined).destroy();
  await until("the gateway's response is closed", () => hasLeft, 5_000);
});

test("a reader that takes nothing slows the gateway down, so that the proxy gathers nothing", async () => {
  let writtenBytes = 0;
  let isHeldBack = false;
  both(async (_, response) => {
    while (writtenBytes < 200_000_000) {
      writtenBytes += 65_536;
      if (response.write(Buffer.alloc(65_536))) continue;
      const isDrained = await Promise.race([once(response, "drain").then(() => true), pause(2_000)]);
      if (isDrained !== true) break;
    }
    isHeldBack = true;
  });
  const { sent, response } = open("/stream");
  sent.end();
  const message = await response;
  message.pause();
  await until("the gateway cannot write more", () => isHeldBack, 25_000);
  // The operating system's buffers of two connections, and one of the proxy.
  assert.ok(writtenBytes < 40_000_000, `${writtenBytes} bytes were taken`);
  message.destroy();
});

const pause = (ms: number) => new Promise<false>((resolve) => setTimeout(resolve, ms, false));

test("the gateway sees the client's own address, whatever the client claims, and the scheme and host it used", async () => {
  both((request, response) => void response.end(JSON.stringify(request.headers)));
  const claims = {
    "x-forwarded-for": "203.0.113.9",
    "x-forwarded-proto": "https",
    host: "muster.example.com",
  };
  const { sent, response } = open("/", { headers: claims });
  sent.end();
  const [body] = await once(await response, "data");
  const headers = JSON.parse(String(body));
  assert.equal(headers["x-forwarded-for"], "127.0.0.1");
  assert.equal(headers["x-forwarded-proto"], "http");
  assert.deepEqual([headers.host, headers["x-forwarded-host"]], ["muster.example.com", "muster.example.com"]);
});

test("connections to the gateways are used again", async () => {
  for (let count = 0; count < 40; count++) await (await fetch(`${proxy.url}/healthz`)).text();
  // Each of nginx's processes has its own, and one request can find them taken.
  assert.ok(first.connections + second.connections <= 10, `${first.connections} and ${second.connections}`);
});

test("while one gateway is away, no request fails, not even those that must not be repeated", async () => {
  both((_, response) => void response.end("{}"));
  await first.close();
  for (let count = 0; count < 40; count++) {
    const response = await fetch(`${proxy.url}/api/agent-sessions`, { method: "POST", body: "{}" });
    assert.equal(response.status, 200);
    await response.text();
  }
});

test("a request that a gateway has received is not sent to another one", async () => {
  let received = 0;
  both((request) => {
    received += 1;
    request.socket.destroy();
  });
  const response = await fetch(`${proxy.url}/api/agent-sessions`, { method: "POST", body: "{}" });
  assert.deepEqual([response.status, received], [503, 1]);
});

test("without any gateway, the response is 503 UNAVAILABLE with Retry-After", async () => {
  await Promise.all([first.close(), second.close()]);
  const response = await fetch(`${proxy.url}/api/agent-sessions`, { method: "POST", body: "{}" });
  assert.deepEqual([response.status, response.headers.get("retry-after")], [503, "2"]);
  assert.equal(response.headers.get("content-type"), "application/json");
  const { code, requestId } = record(await response.json());
  assert.deepEqual([code, requestId], ["UNAVAILABLE", response.headers.get("x-request-id")]);
});

test("bodies that the gateways accept pass, and far larger ones are 413 PAYLOAD_TOO_LARGE", async () => {
  both(async (request, response) => {
    let bytes = 0;
    for await (const chunk of request) bytes += chunk.length;
    response.end(JSON.stringify({ bytes }));
  });
  const send = (bytes: number) => fetch(`${proxy.url}/upload`, { method: "POST", body: Buffer.alloc(bytes) });
  assert.deepEqual(await (await send(11_000_000)).json(), { bytes: 11_000_000 });
  const refused = await send(17 * 1024 * 1024);
  assert.equal(refused.status, 413);
  assert.equal(record(await refused.json()).code, "PAYLOAD_TOO_LARGE");
});

test("headers that are too large are 431 HEADERS_TOO_LARGE", async () => {
  const { sent, response } = open("/", { headers: { "x-long": "a".repeat(17_000) } });
  sent.end();
  const message = await response;
  assert.equal(message.statusCode, 431);
  const [body] = await once(message, "data");
  assert.equal(JSON.parse(String(body)).code, "HEADERS_TOO_LARGE");
});

test("a gateway's own errors pass unchanged", async () => {
  both((_, response) => {
    response.writeHead(503, { "content-type": "application/json; charset=utf-8", "retry-after": "7" });
    response.end('{"code":"UNAVAILABLE","error":"Busy."}');
  });
  const response = await fetch(proxy.url);
  assert.deepEqual([response.status, response.headers.get("retry-after")], [503, "7"]);
  assert.equal(await response.text(), '{"code":"UNAVAILABLE","error":"Busy."}');
});

test("a proxy that stops waits for its streams to end", async () => {
  const end = new EventTarget();
  both(async (_, response) => {
    response.write("data: 1\n\n");
    await once(end, "now");
    response.end("data: [DONE]\n\n");
  });
  const { sent, response } = open("/stream");
  sent.end();
  const message = await response;
  await once(message, "data");
  const stopped = proxy.stop();
  await until("no new connection is accepted", async () => {
    const isRefused = await fetch(proxy.url, { headers: { connection: "close" } }).then(
      async (answer) => !(await answer.body?.cancel()) && false,
      () => true,
    );
    return isRefused;
  });
  end.dispatchEvent(new Event("now"));
  const rest: string[] = [];
  for await (const chunk of message) rest.push(String(chunk));
  assert.equal(rest.join(""), "data: [DONE]\n\n");
  await stopped;
});

test("the bytes of a WebSocket travel both ways, and no other protocol is passed on", async () => {
  const headers = { connection: "Upgrade", upgrade: "websocket" };
  const { sent } = open("/api/v1/computers/connect", { headers });
  sent.end();
  const [response, socket] = await once(sent, "upgrade");
  assert.equal(response.statusCode, 101);
  for (const text of ["a", "b"]) {
    socket.write(text);
    assert.equal(String((await once(socket, "data"))[0]), text);
  }
  socket.destroy();
  const other = open("/", { headers: { ...headers, upgrade: "h2c" } });
  other.sent.end();
  assert.equal((await other.response).statusCode, 200);
});
