import assert from "node:assert/strict";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Code, ConnectError } from "@connectrpc/connect";
import { Reason, rpcError } from "@muster/rpc";
import { aborted, collect, failureOf } from "@muster/testing";
import { describe, test } from "vitest";
import { continued } from "./continued-turn.ts";
import type { Batch } from "./event-stream.ts";

const start = {
  sequence: 1,
  type: "start",
  json: '{"type":"start","executionId":"exe_1","messageId":"msg_1"}',
};
const stopping = () => rpcError(Reason.UNAVAILABLE, "The service is stopping.");

async function* startsAndStops(): AsyncGenerator<Batch> {
  yield { events: [start] };
  throw stopping();
}

// biome-ignore lint/correctness/useYield: it fails before the first message.
async function* stops(): AsyncGenerator<Batch> {
  throw stopping();
}

describe("a turn that no process continues", () => {
  test("the search ends after its time, with the error of the process that stopped", async () => {
    let tries = 0;
    const resume = () => {
      tries++;
      return stops();
    };
    const open = continued(startsAndStops, resume, { sessionId: "ses_1" }, { withinMs: 50, everyMs: 5 });
    assert.equal(String(await failureOf(collect(open(new AbortController().signal)))), String(stopping()));
    assert.ok(tries > 0 && tries <= 10, `${tries} tries`);
  });

  test("processes that die one after another do not prolong the search, and only the first is reported", async () => {
    const lost: unknown[] = [];
    const resume = async function* (_place: unknown, _signal: unknown, because?: unknown) {
      if (because !== undefined) lost.push(because);
      yield { events: [] };
      throw new ConnectError("Connection dropped", Code.Unavailable);
    };
    const open = continued(startsAndStops, resume, { sessionId: "ses_1" }, { withinMs: 50, everyMs: 5 });
    assert.equal(String(await failureOf(collect(open(new AbortController().signal)))), String(stopping()));
    assert.deepEqual(lost.map(String), [String(stopping())]);
  });

  test("a process that responds is not given up, however long it waits for the lease of the one that died", async () => {
    const resume = async function* (): AsyncGenerator<Batch> {
      yield { events: [] };
      const searchEndsMs = performance.now();
      while (performance.now() <= searchEndsMs) await nextTurn();
      yield { events: [{ ...start, sequence: 2, type: "text-start" }] };
    };
    const open = continued(startsAndStops, resume, { sessionId: "ses_1" }, { withinMs: 0, everyMs: 5 });
    const batches = await collect(open(new AbortController().signal));
    assert.deepEqual(
      batches.flatMap(({ events }) => events.map(({ sequence }) => sequence)),
      [1, 2],
    );
  });

  test("a turn that was refused meanwhile ends the search at once, with the first error", async () => {
    let tries = 0;
    // biome-ignore lint/correctness/useYield: it fails before the first message.
    const resume = async function* (): AsyncGenerator<Batch> {
      tries++;
      throw rpcError(Reason.EVENTS_GONE, "Gone.");
    };
    const turn = { sessionId: "ses_1" };
    const open = continued(startsAndStops, resume, turn, { withinMs: 600_000, everyMs: 5 });
    assert.equal(String(await failureOf(collect(open(new AbortController().signal)))), String(stopping()));
    assert.equal(tries, 1);
  });

  test("processes that accept readers and stop without an event do not prolong the search", async () => {
    const resume = async function* (): AsyncGenerator<Batch> {
      yield { events: [] };
      throw stopping();
    };
    const open = continued(startsAndStops, resume, { sessionId: "ses_1" }, { withinMs: 50, everyMs: 5 });
    await failureOf(collect(open(new AbortController().signal)));
  });

  test("the search ends with its reader, and so does the turn that it has found", async () => {
    const leaving = new AbortController();
    const resume = () => {
      leaving.abort();
      return stops();
    };
    const turn = { sessionId: "ses_1" };
    const open = continued(startsAndStops, resume, turn, { withinMs: 600_000, everyMs: 600_000 });
    await failureOf(collect(open(leaving.signal)));
    let reason: unknown;
    const follow = async function* (_place: unknown, signal: AbortSignal): AsyncGenerator<Batch> {
      yield { events: [{ ...start, sequence: 2, type: "text-start" }] };
      reason = await aborted(signal);
    };
    const left = new AbortController();
    const messages = continued(startsAndStops, follow, turn)(left.signal)[Symbol.asyncIterator]();
    await messages.next();
    await messages.next();
    const ended = messages.next();
    left.abort("left");
    await ended;
    assert.equal(reason, "left");
  });

  test("the gateway does not search for a turn whose session is not known", async () => {
    const open = continued(startsAndStops, () => assert.fail("looked for"));
    assert.equal(String(await failureOf(collect(open(new AbortController().signal)))), String(stopping()));
  });
});
