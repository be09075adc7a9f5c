import assert from "node:assert/strict";
import { Code } from "@connectrpc/connect";
import fc from "fast-check";
import { type TestContext, test } from "vitest";
import {
  connectInProcess,
  connectTo,
  type EchoClient,
  type EchoImpl,
  startServer,
} from "../test/support/support.ts";
import { Reason, readRpcError, rpcError } from "./errors.ts";

const pause = () => new Promise((resolve) => setImmediate(resolve));

/** Handlers that count how many of them are inside. */
function counting() {
  const state = { inside: 0 };
  const impl: EchoImpl = {
    async echo({ text }) {
      state.inside++;
      try {
        await pause();
        if (text === "refuse") throw rpcError(Reason.NOT_FOUND, "no");
        if (text === "fail") throw new Error("a defect");
        return { text };
      } finally {
        state.inside--;
      }
    },
    async *count({ to, textBytes }, { signal }) {
      state.inside++;
      try {
        for (let number = 1; to === 0 || number <= to; number++) {
          yield { number, text: "x".repeat(textBytes) };
          if (number % 3 === 0) await pause();
          signal.throwIfAborted();
        }
      } finally {
        state.inside--;
      }
    },
  };
  return { state, impl };
}

const ends = fc.oneof(
  fc.record({ kind: fc.constant("unary" as const), text: fc.constantFrom("ok", "refuse", "fail") }),
  fc.record({ kind: fc.constant("finish" as const), to: fc.nat(50) }),
  fc.record({ kind: fc.constant("leave" as const), after: fc.nat(20), textBytes: fc.nat(20_000) }),
  fc.record({ kind: fc.constant("cancel" as const), after: fc.nat(20), textBytes: fc.nat(20_000) }),
  fc.record({ kind: fc.constant("deadline" as const), timeoutMs: fc.integer({ min: 1, max: 15 }) }),
);
type End = typeof ends extends fc.Arbitrary<infer T> ? T : never;

async function make(client: EchoClient, end: End): Promise<Code | "ok"> {
  const controller = new AbortController();
  try {
    switch (end.kind) {
      case "unary":
        await client.echo({ text: end.text });
        return "ok";
      case "finish": {
        let seen = 0;
        for await (const _message of client.count({ to: end.to + 1 })) seen++;
        assert.equal(seen, end.to + 1);
        return "ok";
      }
      case "leave":
        for await (const { number } of client.count({ textBytes: end.textBytes })) {
          if (number > end.after) break;
        }
        return "ok";
      case "cancel":
        for await (const { number } of client.count(
          { textBytes: end.textBytes },
          { signal: controller.signal },
        )) {
          if (number > end.after) controller.abort();
        }
        return "ok";
      case "deadline":
        for await (const _message of client.count({}, { timeoutMs: end.timeoutMs })) await pause();
        return "ok";
    }
  } catch (error) {
    return readRpcError(error).code;
  }
}

function expected(end: End): Code | "ok" {
  if (end.kind === "cancel") return Code.Canceled;
  if (end.kind === "deadline") return Code.DeadlineExceeded;
  if (end.kind !== "unary" || end.text === "ok") return "ok";
  return end.text === "refuse" ? Code.NotFound : Code.Internal;
}

async function storm(client: EchoClient, state: { inside: number }): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.array(ends, { minLength: 10, maxLength: 60 }), async (calls) => {
      const outcomes = await Promise.all(calls.map((end) => make(client, end)));
      assert.deepEqual(outcomes, calls.map(expected));
      while (state.inside > 0) await pause();
    }),
    { numRuns: 20 },
  );
}

const title =
  "concurrent calls that end in different ways each end as expected, and no handler keeps running";

test(`over gRPC, ${title}`, async (t: TestContext) => {
  const { state, impl } = counting();
  const { address, server } = await startServer(t, impl, { drainMs: 600_000 });
  await storm(connectTo(t, address), state);
  // If a call were still running, this would outlast the test's timeout.
  await server.stop();
});

test(`in process, ${title}`, async () => {
  const { state, impl } = counting();
  await storm(connectInProcess(impl), state);
});
