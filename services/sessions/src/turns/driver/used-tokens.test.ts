import assert from "node:assert/strict";
import { create, toBinary } from "@bufbuild/protobuf";
import { type StreamEvent, TriggerResponseSchema } from "@muster/proto/sessions";
import { test } from "vitest";
import { TokenCount } from "./call-charges.ts";

const event = (type: string): StreamEvent => ({
  $typeName: "muster.sessions.v1.StreamEvent",
  sequence: 1,
  type,
  json: "{}",
});

function usage(input: number | undefined, output: number | undefined) {
  return {
    inputTokens: { total: input, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: output, text: undefined, reasoning: undefined },
  };
}

test("the last message of an execution carries the tokens of all its model calls", () => {
  const tokens = new TokenCount();
  tokens.add(usage(100, 7));
  tokens.add(usage(130, undefined));
  assert.equal(tokens.fieldFor([event("finish"), event("text-delta")]).usedTokens, undefined);
  const { usedTokens } = tokens.fieldFor([event("text-delta"), event("finish")]);
  assert.deepEqual([usedTokens?.input, usedTokens?.output], [230, 7]);
});

test("an execution whose calls reported no tokens has no count, rather than a count of zero", () => {
  const tokens = new TokenCount();
  assert.deepEqual(tokens.fieldFor([event("finish")]), {});
  tokens.add(usage(undefined, undefined));
  assert.deepEqual(tokens.fieldFor([event("finish")]), {});
  tokens.add(usage(0, undefined));
  assert.deepEqual(tokens.fieldFor([event("finish")]).usedTokens?.input, 0);
});

test("impossible counts of a provider never prevent the message from being sent", () => {
  for (const count of [Number.NaN, -5, 0.5, Number.POSITIVE_INFINITY, 1e300]) {
    const tokens = new TokenCount();
    tokens.add(usage(3, 4));
    tokens.add(usage(count, count));
    const events = [event("finish")];
    const message = create(TriggerResponseSchema, { events, ...tokens.fieldFor(events) });
    assert.ok(toBinary(TriggerResponseSchema, message).length > 0);
  }
});
