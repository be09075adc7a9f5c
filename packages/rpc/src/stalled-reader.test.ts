import assert from "node:assert/strict";
import { until } from "@muster/testing";
import { type TestContext, test } from "vitest";
import { connectTo, type EchoImpl, startServer } from "../test/support/support.ts";

/** A handler that offers more than any buffer can take. */
function flooding(textLength: number) {
  const state = { inside: 0, sent: 0 };
  const impl: EchoImpl = {
    async *count() {
      state.inside++;
      try {
        for (let number = 1; ; number++) {
          state.sent = number;
          yield { number, text: "x".repeat(textLength) };
        }
      } finally {
        state.inside--;
      }
    },
  };
  return { state, impl };
}

interface Stall {
  timeoutMs?: number;
  textLength?: number;
}

async function stalled(t: TestContext, { timeoutMs, textLength = 500_000 }: Stall = {}) {
  const { state, impl } = flooding(textLength);
  const { address, server } = await startServer(t, impl);
  const client = connectTo(t, address);
  const stream = client
    .count({ to: 0 }, timeoutMs === undefined ? {} : { timeoutMs })
    [Symbol.asyncIterator]();
  await stream.next();
  let before = -1;
  while (before !== state.sent) {
    before = state.sent;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.equal(state.inside, 1);
  return { state, stream, server };
}

test("a handler that waits for a stalled reader ends when the reader leaves", async (t) => {
  const { state, stream } = await stalled(t);
  await stream.return?.();
  await until(() => state.inside === 0);
});

test("a handler that waits for a stalled reader ends at its deadline", async (t) => {
  const { state } = await stalled(t, { timeoutMs: 3_000 });
  await until(() => state.inside === 0);
});

test("a handler that waits for a stalled reader ends when the server stops", async (t) => {
  const { state, server } = await stalled(t);
  await server.stop();
  await until(() => state.inside === 0);
});

test("a stalled reader leaves at most 256 KiB of messages in both processes", async (t) => {
  for (const textLength of [100, 20_000, 32_000]) {
    const { state } = await stalled(t, { textLength });
    const bytes = state.sent * textLength;
    assert.ok(bytes <= 256 * 1024, `${bytes} bytes of ${textLength} each were accepted`);
  }
});
