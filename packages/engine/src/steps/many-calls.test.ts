import assert from "node:assert/strict";
import { test } from "vitest";
import { call, finish, modelDone, parts, start } from "../../test/support/model-parts.ts";
import { play } from "../../test/support/play.ts";
import { ask, programOf, say } from "../../test/support/programs.ts";

const program = programOf({ blocks: [say("Hello"), ask()], tools: { find: "stream" } });
const ids = (count: number) => Array.from({ length: count }, (_, index) => `call_${index}`);
const stepWith = (count: number) => [
  start,
  ...parts(...ids(count).map((id) => call(id, "find")), [finish("tool-calls")]),
  modelDone,
];

test("a step hands on as many calls as a caller may send results for, and the others fail", () => {
  const { events } = play(program, stepWith(1_003));
  const [request] = events.filter(({ type }) => type === "tool-request");
  assert.ok(request?.type === "tool-request");
  assert.deepEqual(
    request.toolCalls.map(({ toolCallId }) => toolCallId),
    ids(1_000),
  );
  const failed = events.filter((event) => event.type === "tool-output-error");
  assert.deepEqual(
    failed.map(({ toolCallId }) => toolCallId),
    ["call_1000", "call_1001", "call_1002"],
  );
  assert.match(failed[0]?.error ?? "", /Only the first 1000 calls .* Make this call again/);
});

test("all the calls that were handed on can be answered in one request", () => {
  const outcomes = ids(1_000).map((toolCallId) => ({
    toolCallId,
    outcome: { type: "result" as const, result: toolCallId },
  }));
  const { machine } = play(program, [...stepWith(1_003), { type: "tool-results", outcomes }]);
  const results = machine.conversation.messages.flatMap((message) =>
    message.parts.flatMap((part) => (part.type === "tool-call" ? [part.result] : [])),
  );
  assert.deepEqual(results, [...ids(1_000), undefined, undefined, undefined]);
});
