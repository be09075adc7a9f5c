import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { create } from "@bufbuild/protobuf";
import { Reason } from "@muster/proto/errors";
import { type TriggerResponse, TriggerResponseSchema } from "@muster/proto/sessions";
import { rpcError } from "@muster/rpc";
import { ManualClock } from "@muster/service";
import { until } from "@muster/testing";
import Fastify from "fastify";
import { describe, type TestContext, test } from "vitest";
import { respondWithError } from "../edge/http/respond-with-error.ts";
import { answerHalfClosed } from "../edge/http/slow-readers.ts";
import type { Batch, StreamLimits } from "./event-stream.ts";
import { OpenStreams } from "./open-streams.ts";
import { type OpenSource, type RelayOptions, relay } from "./relay.ts";

const limits: StreamLimits = {
  heartbeatMs: 15_000,
  drainTimeoutMs: 60_000,
  firstEventTimeoutMs: 60_000,
  recheckMs: 4_000,
};

type Event = { type: string; [field: string]: unknown };

function batch(...events: Event[]): TriggerResponse {
  return create(TriggerResponseSchema, {
    events: events.map((event, index) => ({
      sequence: index + 1,
      type: event.type,
      json: JSON.stringify(event),
    })),
  });
}

const delta = (text: string) => batch({ type: "text-delta", id: "t1", delta: text });

/** Rejects when the signal is aborted, as calls do. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const fail = () => reject(signal.reason);
    if (signal.aborted) fail();
    else signal.addEventListener("abort", fail, { once: true });
  });
}

/** A server with a single route, which relays the source. */
async function serve(
  t: TestContext,
  source: OpenSource,
  changed: Partial<StreamLimits> = {},
  options: RelayOptions<Batch> = {},
  waitedMs = 0,
) {
  const clock = new ManualClock();
  const streams = new OpenStreams({ ...limits, ...changed }, clock);
  const app = Fastify();
  answerHalfClosed(app.server);
  const ended: unknown[] = [];
  app.setErrorHandler((error, _request, reply) => respondWithError(error, reply));
  app.decorateRequest("waitedMs", waitedMs);
  app.post("/", async (_request, reply) => {
    await relay(streams, reply, source, options).finally(() => ended.push(1));
  });
  const sockets: Socket[] = [];
  app.server.on("connection", (socket: Socket) => sockets.push(socket));
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  t.onTestFinished(async () => {
    await streams.stop(0, 0);
    app.server.closeAllConnections();
    await app.close();
  });
  return { clock, streams, url, ended, sockets, port: Number(new URL(url).port) };
}

const post = (url: string) => fetch(url, { method: "POST" });

/** The payloads of a stream's frames; `[DONE]` as text. */
function payloads(text: string): unknown[] {
  return text
    .split("\n\n")
    .filter((frame) => frame.startsWith("data: "))
    .map((frame) => frame.slice("data: ".length))
    .map((data): unknown => (data === "[DONE]" ? data : JSON.parse(data)));
}

/** A reader that sends the request and then reads nothing until asked to. */
async function stalledReader(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  socket.pause();
  socket.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n");
  return socket;
}

/** A source that offers far more than the kernel buffers, for as long as it is read. */
function endless() {
  let sent = 0;
  let wasAborted = false;
  const source: OpenSource = async function* (signal) {
    signal.addEventListener("abort", () => {
      wasAborted = true;
    });
    for (; !signal.aborted; sent++) {
      yield delta("x".repeat(30_000));
      await delay(0);
    }
  };
  const hasStopped = async () => {
    for (let seen = -1; seen !== sent; ) {
      seen = sent;
      await delay(150);
    }
  };
  return { source, hasStopped, isAborted: () => wasAborted };
}

describe("the relay", () => {
  test("the relay writes every event unchanged and in order, then [DONE], with the headers of an event stream", async (t) => {
    const json = '{"type":"text-delta","id":"t1","delta":"päivää \\n 😀"}';
    const { url } = await serve(t, async function* () {
      yield batch({ type: "start", messageId: "msg_1" }, { type: "text-start", id: "t1" });
      yield create(TriggerResponseSchema, { events: [{ sequence: 3, type: "text-delta", json }] });
      yield batch({ type: "text-end", id: "t1" });
    });
    const response = await post(url);
    assert.equal(response.headers.get("content-type"), "text/event-stream; charset=utf-8");
    assert.equal(response.headers.get("cache-control"), "no-cache, no-transform");
    assert.equal(response.headers.get("x-accel-buffering"), "no");
    assert.ok(response.headers.get("x-request-id"));
    assert.equal(
      await response.text(),
      'data: {"type":"start","messageId":"msg_1"}\n\ndata: {"type":"text-start","id":"t1"}\n\n' +
        `data: ${json}\n\ndata: {"type":"text-end","id":"t1"}\n\ndata: [DONE]\n\n`,
    );
  });

  test("the relay sends the first event at once, without waiting for the second", async (t) => {
    let release: (() => void) | undefined;
    const { url } = await serve(t, async function* () {
      yield batch({ type: "start", messageId: "msg_1" });
      await new Promise<void>((resolve) => {
        release = resolve;
      });
    });
    const response = await post(url);
    const reader = response.body?.getReader();
    const first = await reader?.read();
    assert.match(new TextDecoder().decode(first?.value), /"start"/);
    release?.();
    await reader?.cancel();
  });

  test("an error before the first event is an ordinary JSON error", async (t) => {
    const { url, streams } = await serve(t, async function* () {
      yield* [];
      throw rpcError(Reason.SESSION_BUSY, "The session is busy.", { retryAfterMs: 2_000 });
    });
    const response = await post(url);
    assert.equal(response.status, 429);
    assert.equal(response.headers.get("retry-after"), "2");
    assert.equal(((await response.json()) as { code: string }).code, "SESSION_BUSY");
    await until(() => streams.size === 0);
  });

  test("a source without events causes UPSTREAM, not an empty success", async (t) => {
    const { url } = await serve(t, async function* () {
      yield* [];
    });
    assert.equal((await post(url)).status, 502);
  });

  test("a source that fails midway ends in closed parts, an error event and [DONE]", async (t) => {
    const { url } = await serve(t, async function* () {
      yield batch(
        { type: "start", messageId: "m" },
        { type: "block-start", blockId: "b1" },
        { type: "reasoning-start", id: "r1" },
        { type: "reasoning-end", id: "r1" },
        { type: "text-start", id: "t1", thread: "side", workerId: "w1" },
        { type: "tool-input-start", toolCallId: "c1", toolName: "x" },
      );
      throw rpcError(Reason.UNAVAILABLE, "The sessions service is gone.");
    });
    const events = payloads(await (await post(url)).text()).slice(6);
    assert.deepEqual(events, [
      { type: "tool-input-end", toolCallId: "c1", interrupted: true },
      { type: "text-end", id: "t1", thread: "side", workerId: "w1", interrupted: true },
      { type: "block-end", blockId: "b1", interrupted: true },
      {
        type: "error",
        errorType: "internal_error",
        message: "The sessions service is gone.",
        source: "platform",
        retryable: true,
        code: "UNAVAILABLE",
      },
      "[DONE]",
    ]);
  });

  test("a reader that leaves aborts the source, before the first event and after it", async (t) => {
    for (const events of [[], [batch({ type: "start" })]]) {
      let wasAborted = false;
      const { url, streams, ended } = await serve(t, async function* (signal) {
        signal.addEventListener("abort", () => {
          wasAborted = true;
        });
        yield* events;
        await aborted(signal);
      });
      const outgoing = request(url, { method: "POST" }).on("error", () => {});
      outgoing.end();
      if (events.length > 0) await once(outgoing, "response");
      else await until(() => streams.size === 1);
      outgoing.destroy();
      await until(() => wasAborted && streams.size === 0 && ended.length === 1);
    }
  });

  test("a reader that closes its sending side after the request gets the whole stream", async (t) => {
    for (const before of [[], [batch({ type: "start" })]]) {
      const { port, sockets } = await serve(t, async function* () {
        yield* before;
        await until(() => sockets[0]?.readableEnded === true);
        yield batch({ type: "text-start", id: "t1" }, { type: "text-end", id: "t1" });
      });
      const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
      socket.end("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n");
      let text = "";
      socket.on("data", (chunk) => {
        text += chunk;
      });
      await once(socket, "close");
      assert.match(text, /text-start[\s\S]*text-end[\s\S]*data: \[DONE\]\n\n\r\n0\r\n\r\n$/);
    }
  });

  test("a silent stream gets heartbeats at most 15 s apart, also if a tick is late, and an active one gets none", async (t) => {
    let send: (() => void) | undefined;
    const { url, clock, streams } = await serve(t, async function* (signal) {
      yield batch({ type: "start" });
      await new Promise<void>((resolve) => {
        send = resolve;
      });
      yield delta("Hello");
      await aborted(signal);
    });
    const response = await post(url);
    const reader = response.body?.getReader();
    const read = async () => new TextDecoder().decode((await reader?.read())?.value);
    assert.match(await read(), /start/);
    clock.advance(13_000);
    streams.tick();
    send?.();
    assert.match(await read(), /Hello/);
    // The next ticks find 499 ms too little, and then nearly half a second too much.
    clock.advance(14_499);
    streams.tick();
    assert.equal(await read(), ": heartbeat\n\n");
    clock.advance(13_999);
    streams.tick();
    clock.advance(1_000);
    streams.tick();
    streams.tick();
    assert.equal(await read(), ": heartbeat\n\n");
    await reader?.cancel();
  });

  describe("a first event that takes long", () => {
    /** Moves the clock as the timer does. Returns the times at which something was sent, in milliseconds. */
    function sentMs(
      { clock, streams, sockets }: Awaited<ReturnType<typeof serve>>,
      untilMs: number,
    ): number[] {
      const sent: number[] = [];
      for (let nowMs = 500; nowMs <= untilMs; nowMs += 500) {
        const before = sockets[0]?.bytesWritten;
        clock.advance(500);
        streams.tick();
        if (sockets[0]?.bytesWritten !== before) sent.push(nowMs);
      }
      return sent;
    }

    test("the reader is never left without a byte for 15 s, and then gets every event", async (t) => {
      const { promise, resolve: send } = Promise.withResolvers<void>();
      const served = await serve(t, async function* () {
        await promise;
        yield batch({ type: "start", messageId: "m" });
      });
      const socket = await stalledReader(served.port);
      let text = "";
      socket.on("data", (chunk) => {
        text += chunk;
      });
      socket.resume();
      await until(() => served.streams.size === 1);
      assert.deepEqual(sentMs(served, 59_000), [14_000, 28_000, 42_000, 56_000]);
      send();
      await until(() => text.endsWith("0\r\n\r\n"));
      assert.match(text, /^HTTP\/1\.1 200 OK\r\n[\s\S]*content-type: text\/event-stream/);
      assert.deepEqual(payloads(text.replaceAll(/\r\n[0-9a-f]+\r\n/g, "")), [
        { type: "start", messageId: "m" },
        "[DONE]",
      ]);
      socket.destroy();
    });

    test("the time that the authentication took counts", async (t) => {
      const silent: OpenSource = async function* (signal) {
        yield* [];
        await aborted(signal);
      };
      const served = await serve(t, silent, {}, {}, 9_000);
      const socket = await stalledReader(served.port);
      await until(() => served.streams.size === 1);
      assert.deepEqual(sentMs(served, 20_000), [5_000, 19_000]);
      socket.destroy();
    });

    /** The whole response to a source that is silent for 14 s, and then does this. */
    async function late(t: TestContext, then: OpenSource, options: RelayOptions<Batch> = {}) {
      const { promise, resolve: send } = Promise.withResolvers<void>();
      const source: OpenSource = async function* (signal) {
        await Promise.race([promise, aborted(signal)]);
        yield* then(signal);
      };
      const served = await serve(t, source, {}, options);
      const response = post(served.url);
      await until(() => served.streams.size === 1);
      served.clock.advance(14_000);
      served.streams.tick();
      assert.equal((await response).status, 200);
      return { ...served, send, response: await response };
    }

    const busy: OpenSource = async function* () {
      yield* [];
      throw rpcError(Reason.SESSION_BUSY, "The session is busy.", { retryAfterMs: 2_000 });
    };

    test("a late refusal is an error event with its code, and nothing can be continued", async (t) => {
      const { response, send } = await late(t, busy, { beginsTurn: true });
      send();
      assert.deepEqual(payloads(await response.text()), [
        {
          ...{ type: "error", errorType: "rate_limit_error", source: "platform" },
          ...{ message: "The session is busy.", retryable: true, retryAfter: 2, code: "SESSION_BUSY" },
        },
        "[DONE]",
      ]);
    });

    test("a reader of a known turn learns where to continue", async (t) => {
      const gone: OpenSource = async function* () {
        yield* [];
        throw rpcError(Reason.UNAVAILABLE, "Away.");
      };
      const { response, send } = await late(t, gone, { cursor: 7 });
      send();
      const [error] = payloads(await response.text()) as Event[];
      assert.deepEqual([error?.code, error?.lastSequence], ["UNAVAILABLE", 7]);
    });

    test("it ends after 60 s with the code TIMEOUT and [DONE]", async (t) => {
      const { clock, streams, response } = await late(t, busy);
      clock.advance(45_999);
      streams.tick();
      assert.equal(streams.size, 1);
      clock.advance(1);
      streams.tick();
      const [error, done] = payloads(await response.text()) as Event[];
      assert.deepEqual([error?.code, error?.retryable, done], ["TIMEOUT", true, "[DONE]"]);
    });

    test("a stop and the end of a credential end it once, in an error event", async (t) => {
      const { streams, response } = await late(t, busy);
      await streams.stop(0, 1_000);
      const [error, ...rest] = payloads(await response.text()) as Event[];
      assert.deepEqual([error?.code, ...rest], ["UNAVAILABLE", "[DONE]"]);
    });

    test("a turn that begins late can be continued, and a late document is an error event", async (t) => {
      const starts: OpenSource = async function* () {
        yield batch({ type: "start", messageId: "m" });
        throw rpcError(Reason.UNAVAILABLE, "Away.");
      };
      const begun = await late(t, starts, { beginsTurn: true });
      begun.send();
      const [, error] = payloads(await begun.response.text()) as Event[];
      assert.equal(error?.lastSequence, 1);
      const replayed = await late(t, starts, { documentOf: () => "{}" });
      replayed.send();
      const [gone, done] = payloads(await replayed.response.text()) as Event[];
      assert.deepEqual([gone?.code, done], ["EVENTS_GONE", "[DONE]"]);
    });
  });

  test("a source that sends no first event times out with 504", async (t) => {
    const { url, clock, streams } = await serve(t, async function* (signal) {
      yield* [];
      await aborted(signal);
    });
    const answer = post(url);
    await until(() => streams.size === 1);
    clock.advance(60_000);
    streams.tick();
    assert.equal((await answer).status, 504);
  });

  test("a reader that stops pauses the source, and gets everything once it reads again", async (t) => {
    const total = 400;
    const text = "x".repeat(100_000);
    let sent = 0;
    const { port } = await serve(t, async function* () {
      for (; sent < total; sent++) {
        yield delta(text);
        await delay(0);
      }
    });
    const socket = await stalledReader(port);
    // 40 MB are offered; the kernel buffers a few, the rest has to wait in the source.
    let seen = -1;
    while (sent === 0 || seen !== sent) {
      seen = sent;
      await delay(150);
    }
    assert.ok(sent > 0 && sent < total - 50, `${sent} batches were accepted`);
    let received = 0;
    let tail = "";
    socket.on("data", (chunk: Buffer) => {
      received += chunk.length;
      tail = (tail + chunk.toString("latin1")).slice(-100);
    });
    socket.resume();
    await until(() => tail.includes("[DONE]"));
    assert.equal(sent, total);
    assert.ok(received > total * text.length);
    socket.destroy();
  });

  test("a reader that takes nothing for 60 s is disconnected then, its source aborted, and little has piled up", async (t) => {
    const flood = endless();
    const { port, clock, streams, sockets } = await serve(t, flood.source);
    const reader = await stalledReader(port);
    await flood.hasStopped();
    const waitingBytes = sockets[0]?.writableLength ?? 0;
    assert.ok(waitingBytes > 0 && waitingBytes <= 128 * 1024, `${waitingBytes} bytes wait for the reader`);
    streams.tick();
    clock.advance(59_999);
    streams.tick();
    assert.equal(streams.size, 1);
    assert.equal(flood.isAborted(), false);
    clock.advance(1);
    streams.tick();
    await until(() => streams.size === 0 && flood.isAborted());
    reader.destroy();
  });

  test("a reader that takes a little in every minute stays connected", async (t) => {
    const flood = endless();
    const { port, clock, streams, sockets } = await serve(t, flood.source);
    const reader = await stalledReader(port);
    const takenBytes = () => (sockets[0]?.bytesWritten ?? 0) - (sockets[0]?.writableLength ?? 0);
    for (let minute = 1; minute <= 4; minute++) {
      await flood.hasStopped();
      streams.tick();
      clock.advance(59_999);
      const before = takenBytes();
      reader.resume();
      await until(() => takenBytes() > before);
      reader.pause();
      streams.tick();
      assert.equal(streams.size, 1, `disconnected in minute ${minute}`);
    }
    assert.equal(flood.isAborted(), false);
    reader.destroy();
  });

  test("stopping ends open streams with a retryable error event and refuses new ones", async (t) => {
    const { url, streams } = await serve(t, async function* (signal) {
      yield batch({ type: "start" }, { type: "text-start", id: "t1" });
      await aborted(signal);
    });
    const response = await post(url);
    await streams.stop(10, 1_000);
    const [, , textEnd, error, done] = payloads(await response.text()) as Event[];
    assert.equal(textEnd?.type, "text-end");
    assert.equal(error?.code, "UNAVAILABLE");
    assert.equal(error?.retryable, true);
    assert.equal(done, "[DONE]");
    assert.equal((await post(url)).status, 503);
  });

  test("stopping allows a stream that is nearly complete to finish", async (t) => {
    const { url, streams } = await serve(t, async function* () {
      yield batch({ type: "start" });
      await delay(30);
      yield batch({ type: "finish", finishReason: "stop" });
    });
    const response = await post(url);
    const stopped = streams.stop(5_000, 1_000);
    assert.deepEqual(payloads(await response.text()).at(-2), { type: "finish", finishReason: "stop" });
    await stopped;
  });

  test("events are written in the turn of the event loop in which they arrive", async (t) => {
    const written: Promise<boolean>[] = [];
    const { url, sockets } = await serve(t, async function* () {
      yield delta("1");
      for (const text of ["2", "3"]) {
        await new Promise((resolve) => setTimeout(resolve, 1));
        const before = sockets[0]?.bytesWritten;
        const hasWritten = () => sockets[0]?.bytesWritten !== before;
        written.push(new Promise((resolve) => setImmediate(() => resolve(hasWritten()))));
        yield delta(text);
      }
    });
    const response = await post(url);
    assert.equal(payloads(await response.text()).length, 4);
    assert.deepEqual(await Promise.all(written), [true, true]);
  });

  test("events of one callback are sent in one write", async (t) => {
    const { port } = await serve(t, async function* () {
      for (let i = 0; i < 50; i++) yield delta(String(i));
    });
    const socket = connect(port, "127.0.0.1");
    socket.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
    });
    await once(socket, "close");
    const chunkSizes = [...text.matchAll(/\r\n([0-9a-f]+)\r\n/g)].length;
    assert.equal(text.split("data: ").length - 1, 51);
    assert.ok(chunkSizes <= 4, `${chunkSizes} chunks`);
  });
});
