import assert from "node:assert/strict";
import { Code, ConnectError } from "@connectrpc/connect";
import { aborted, collect, failureOf } from "@muster/testing";
import { describe, type TestContext, test } from "vitest";
import {
  connectInProcess,
  connectPeer,
  connectTo,
  type EchoClient,
  type EchoImpl,
  startPeer,
  startServer,
} from "../test/support/support.ts";
import { Reason, readRpcError, rpcError } from "./errors.ts";

type Connect = (t: TestContext, impl: EchoImpl) => Promise<EchoClient>;

const pairs: Record<string, Connect> = {
  "our client, our server": async (t, impl) => connectTo(t, (await startServer(t, impl)).address),
  "in process": async (_t, impl) => connectInProcess(impl),
  "connect-node's client, our server": async (t, impl) => connectPeer((await startServer(t, impl)).address),
  "our client, connect-node's server": async (t, impl) => connectTo(t, await startPeer(t, impl)),
};

for (const [name, connect] of Object.entries(pairs)) {
  const isPeerClient = name.startsWith("connect-node's");
  describe(name, () => {
    test("a unary call delivers the request and returns the response", async (t) => {
      const client = await connect(t, { echo: ({ text, payload }) => ({ text: `${text}!`, payload }) });
      const payload = Uint8Array.from({ length: 100_000 }, (_, i) => i);
      const response = await client.echo({ text: "grüß dich 😀", payload });
      assert.equal(response.text, "grüß dich 😀!");
      assert.deepEqual(Buffer.from(response.payload), Buffer.from(payload));
    });

    test("a stream arrives complete and in order", async (t) => {
      const client = await connect(t, {
        async *count({ to }) {
          for (let number = 1; number <= to; number++) yield { number };
        },
      });
      const numbers = (await collect(client.count({ to: 500 }))).map((message) => message.number);
      assert.deepEqual(
        numbers,
        Array.from({ length: 500 }, (_, i) => i + 1),
      );
    });

    test("an empty stream ends without an error", async (t) => {
      const client = await connect(t, { async *count() {} });
      assert.deepEqual(await collect(client.count({})), []);
    });

    test("headers and trailers travel with a unary call", async (t) => {
      const client = await connect(t, {
        echo(_request, { requestHeader, responseHeader, responseTrailer }) {
          responseHeader.set("x-header", "a");
          responseTrailer.set("x-trailer", "b");
          return { text: requestHeader.get("x-request") ?? "" };
        },
      });
      let header = new Headers();
      let trailer = new Headers();
      const response = await client.echo(
        {},
        {
          headers: { "x-request": "c" },
          onHeader: (received) => {
            header = received;
          },
          onTrailer: (received) => {
            trailer = received;
          },
        },
      );
      assert.equal(response.text, "c");
      assert.equal(header.get("x-header"), "a");
      assert.equal(trailer.get("x-trailer"), "b");
    });

    test("headers and trailers travel with a stream", async (t) => {
      const client = await connect(t, {
        async *count(_request, { requestHeader, responseHeader, responseTrailer }) {
          responseHeader.set("x-header", "a");
          yield { text: requestHeader.get("x-request") ?? "" };
          responseTrailer.set("x-trailer", "b");
        },
      });
      let header = new Headers();
      let trailer = new Headers();
      const messages = await collect(
        client.count(
          {},
          {
            headers: { "x-request": "c" },
            onHeader: (received) => {
              header = received;
            },
            onTrailer: (received) => {
              trailer = received;
            },
          },
        ),
      );
      assert.equal(messages[0]?.text, "c");
      assert.equal(header.get("x-header"), "a");
      assert.equal(trailer.get("x-trailer"), "b");
    });

    test("an error arrives with its code, text and details", async (t) => {
      const issues = [
        { path: "a.0", message: "ü % 😀", code: "x", severity: "warning" as const, suggestions: ["b"] },
      ];
      const client = await connect(t, {
        echo() {
          throw rpcError(Reason.SESSION_BUSY, "50 % voll: ü/😀?&#", { issues, retryAfterMs: 1500 });
        },
      });
      assert.deepEqual(readRpcError(await failureOf(client.echo({}))), {
        reason: Reason.SESSION_BUSY,
        code: Code.Aborted,
        message: "50 % voll: ü/😀?&#",
        issues,
        retryAfterMs: 1500,
      });
    });

    test("the largest possible error arrives", async (t) => {
      const issues = Array.from({ length: 500 }, (_, i) => ({
        path: `prompts.${i}`,
        message: "ö".repeat(5000),
      }));
      const client = await connect(t, {
        echo() {
          throw rpcError(Reason.INVALID_DEFINITION, "ä".repeat(5000), { issues });
        },
      });
      const failure = readRpcError(await failureOf(client.echo({})));
      assert.equal(failure.reason, Reason.INVALID_DEFINITION);
      assert.ok(failure.issues.length > 5);
    });

    test("half a surrogate pair in an error is replaced", async (t) => {
      const client = await connect(t, {
        echo() {
          throw rpcError(Reason.NOT_FOUND, "a\ud800b", { issues: [{ path: "\udc00", message: "\ud800" }] });
        },
      });
      assert.equal(readRpcError(await failureOf(client.echo({}))).reason, Reason.NOT_FOUND);
    });

    test("an error in the middle of a stream arrives after the messages before it", async (t) => {
      const client = await connect(t, {
        async *count() {
          yield { number: 1 };
          yield { number: 2 };
          throw rpcError(Reason.TOO_LARGE, "enough");
        },
      });
      const seen: number[] = [];
      const failure = await failureOf(
        (async () => {
          for await (const { number } of client.count({})) seen.push(number);
        })(),
      );
      assert.deepEqual(seen, [1, 2]);
      assert.equal(readRpcError(failure).reason, Reason.TOO_LARGE);
    });

    test("a method without a handler is unimplemented", async (t) => {
      const client = await connect(t, {});
      assert.equal(readRpcError(await failureOf(client.echo({}))).code, Code.Unimplemented);
      assert.equal(readRpcError(await failureOf(collect(client.count({})))).code, Code.Unimplemented);
    });

    test("a deadline ends a unary call on both sides", async (t) => {
      let hasBegun = false;
      const seen = Promise.withResolvers<unknown>();
      const client = await connect(t, {
        async echo(_request, context) {
          hasBegun = true;
          assert.ok((context.timeoutMs() ?? 0) > 0);
          const reason = await aborted(context.signal);
          seen.resolve(reason);
          throw reason;
        },
      });
      // On a busy machine, a deadline can pass before the call arrives.
      for (let timeoutMs = 50; !hasBegun; timeoutMs *= 2) {
        const failure = await failureOf(client.echo({}, { timeoutMs }));
        assert.equal(readRpcError(failure).code, Code.DeadlineExceeded);
      }
      assert.ok(endedByDeadline(await seen.promise));
    });

    test("a deadline ends a stream on both sides", async (t) => {
      let hasBegun = false;
      const seen = Promise.withResolvers<unknown>();
      const client = await connect(t, {
        async *count(_request, context) {
          hasBegun = true;
          const end = aborted(context.signal);
          seen.resolve(end);
          yield { number: 1 };
          await end;
          // For connect-node's server, returning here ends the stream normally.
          throw context.signal.reason;
        },
      });
      // On a busy machine, a deadline can pass before the call arrives.
      while (!hasBegun) {
        const failure = await failureOf(collect(client.count({}, { timeoutMs: 50 })));
        assert.equal(readRpcError(failure).code, Code.DeadlineExceeded);
      }
      assert.ok(endedByDeadline(await seen.promise));
    });

    test("a cancelled unary call is cancelled on both sides", async (t) => {
      const started = Promise.withResolvers<void>();
      const seen = Promise.withResolvers<unknown>();
      const client = await connect(t, {
        async echo(_request, context) {
          started.resolve();
          seen.resolve(await aborted(context.signal));
          throw context.signal.reason;
        },
      });
      const controller = new AbortController();
      const call = client.echo({}, { signal: controller.signal });
      await Promise.race([started.promise, call]);
      controller.abort();
      assert.equal(readRpcError(await failureOf(call)).code, Code.Canceled);
      assert.equal(ConnectError.from(await seen.promise).code, Code.Canceled);
    });

    test("a cancelled stream fails even if its handler simply returns", async (t) => {
      const seen = Promise.withResolvers<unknown>();
      const client = await connect(t, {
        async *count(_request, context) {
          try {
            yield { number: 1 };
            await aborted(context.signal);
          } finally {
            seen.resolve(context.signal.reason);
          }
        },
      });
      const controller = new AbortController();
      const failure = await failureOf(
        (async () => {
          for await (const _message of client.count({}, { signal: controller.signal })) controller.abort();
        })(),
      );
      assert.equal(readRpcError(failure).code, Code.Canceled);
      assert.equal(ConnectError.from(await seen.promise).code, Code.Canceled);
    });

    test("leaving a stream ends its handler", async (t) => {
      const ended = Promise.withResolvers<void>();
      const client = await connect(t, {
        async *count(_request, context) {
          try {
            for (let number = 1; ; number++) {
              yield { number };
              await new Promise((resolve) => setImmediate(resolve));
              context.signal.throwIfAborted();
            }
          } finally {
            ended.resolve();
          }
        },
      });
      for await (const { number } of client.count({})) if (number === 3) break;
      await ended.promise;
    });

    test("requests and responses of one call travel both ways while it is open", async (t) => {
      const client = await connect(t, {
        async *exchange(requests) {
          for await (const { text } of requests) yield { text: `${text}!` };
          yield { text: "end" };
        },
      });
      const { send, requests } = sendable();
      const responses = client.exchange(requests)[Symbol.asyncIterator]();
      for (const text of ["a", "b".repeat(300_000), "c"]) {
        send({ text });
        assert.equal((await responses.next()).value?.text, `${text}!`);
      }
      send(undefined);
      assert.equal((await responses.next()).value?.text, "end");
      assert.equal((await responses.next()).done, true);
    });

    test("a handler may respond before it has read a request, and may end before the requests do", async (t) => {
      const client = await connect(t, {
        async *exchange(_requests, { requestHeader, responseHeader }) {
          responseHeader.set("x-header", requestHeader.get("x-request") ?? "");
          yield { text: "first" };
        },
      });
      const { requests, left } = sendable();
      let header = new Headers();
      const options = {
        headers: { "x-request": "c" },
        onHeader: (received: Headers) => {
          header = received;
        },
      };
      const texts = (await collect(client.exchange(requests, options))).map(({ text }) => text);
      assert.deepEqual(texts, ["first"]);
      assert.equal(header.get("x-header"), "c");
      if (!isPeerClient) await left;
    });

    test("an error of a bidirectional call arrives with its details after the responses before it", async (t) => {
      const client = await connect(t, {
        async *exchange(requests) {
          for await (const { text } of requests) {
            yield { text };
            throw rpcError(Reason.SESSION_BUSY, "enough", { retryAfterMs: 1500 });
          }
        },
      });
      const { send, requests } = sendable();
      send({ text: "a" });
      const responses = client.exchange(requests)[Symbol.asyncIterator]();
      assert.equal((await responses.next()).value?.text, "a");
      const failure = readRpcError(await failureOf(responses.next()));
      assert.deepEqual([failure.reason, failure.retryAfterMs], [Reason.SESSION_BUSY, 1500]);
    });

    test("leaving, cancelling and a deadline end a bidirectional call and its waiting read of the requests", async (t) => {
      let ended = Promise.withResolvers<void>();
      const client = await connect(t, {
        async *exchange(requests) {
          try {
            yield { text: "begun" };
            for await (const _request of requests);
          } finally {
            ended.resolve();
          }
        },
      });
      for (const how of ["leave", "cancel", "deadline"]) {
        ended = Promise.withResolvers();
        const controller = new AbortController();
        const options = how === "deadline" ? { timeoutMs: 1_000 } : { signal: controller.signal };
        const responses = client.exchange(sendable().requests, options)[Symbol.asyncIterator]();
        await responses.next();
        const next = how === "leave" ? responses.return?.() : failureOf(responses.next());
        if (how === "cancel") controller.abort();
        const failure = await next;
        if (how !== "leave") {
          const code = how === "cancel" ? Code.Canceled : Code.DeadlineExceeded;
          assert.equal(readRpcError(failure).code, code);
        }
        await ended.promise;
      }
    });

    test("a call with an aborted signal never reaches the handler", async (t) => {
      let calls = 0;
      const client = await connect(t, {
        echo() {
          calls++;
          return {};
        },
      });
      const signal = AbortSignal.abort();
      assert.equal(readRpcError(await failureOf(client.echo({}, { signal }))).code, Code.Canceled);
      assert.equal(readRpcError(await failureOf(collect(client.count({}, { signal })))).code, Code.Canceled);
      await client.echo({});
      assert.equal(calls, 1);
    });
  });
}

/** Requests that a test sends one by one; `undefined` ends them. */
function sendable() {
  type Result = IteratorResult<{ text: string }, undefined>;
  const end: Result = { done: true, value: undefined };
  const sent: Result[] = [];
  const left = Promise.withResolvers<void>();
  let waiting: PromiseWithResolvers<Result> | undefined;
  const leave = async () => {
    left.resolve();
    waiting?.resolve(end);
    return end;
  };
  const requests = {
    next: async () => {
      const next = sent.shift();
      if (next !== undefined) return next;
      waiting = Promise.withResolvers<Result>();
      return waiting.promise;
    },
    return: leave,
    throw: leave,
    [Symbol.asyncIterator]: () => requests,
  };
  const send = (request: { text: string } | undefined) => {
    const result: Result = request === undefined ? end : { done: false, value: request };
    if (waiting === undefined) sent.push(result);
    else waiting.resolve(result);
    waiting = undefined;
  };
  return { requests, send, left: left.promise };
}

/** The client's clock runs out first, so the server may hear of it as a cancellation. */
function endedByDeadline(reason: unknown): boolean {
  const { code } = ConnectError.from(reason);
  return code === Code.DeadlineExceeded || code === Code.Canceled;
}
