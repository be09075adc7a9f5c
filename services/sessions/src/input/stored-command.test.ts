import assert from "node:assert/strict";
import { create } from "@bufbuild/protobuf";
import { DisconnectPolicy, TriggerRequestSchema } from "@muster/proto/sessions";
import fc from "fast-check";
import { test } from "vitest";
import { fromStored, readTriggerCommand, toStored } from "./trigger-command.ts";

const key = fc.constantFrom("TEXT", "__proto__ ", "constructor ", "$ref", "a.b", "");
const json = fc
  .dictionary(key, fc.oneof(fc.string(), fc.integer(), fc.constant(null)))
  .map((value) => JSON.stringify(value));
const id = fc.stringMatching(/^[a-z]{1,5}_[a-z0-9]{1,9}$/);
const optionalText = fc.option(fc.string({ maxLength: 20 }), { nil: undefined });

const base = {
  sessionId: id,
  triggerName: fc.string({ minLength: 1, maxLength: 20 }),
  onDisconnect: fc.constantFrom(
    DisconnectPolicy.UNSPECIFIED,
    DisconnectPolicy.CANCEL,
    DisconnectPolicy.CONTINUE,
  ),
  usage: fc.boolean(),
};
const result = fc.record({
  toolCallId: id,
  toolName: fc.string({ maxLength: 10 }),
  outcome: fc.oneof(
    fc.record({ case: fc.constant("resultJson" as const), value: json }),
    fc.record({ case: fc.constant("error" as const), value: fc.string({ minLength: 1, maxLength: 9 }) }),
    fc.constant({ case: undefined }),
  ),
});
const file = fc.record({
  id,
  mediaType: fc.constantFrom("image/png", "text/plain"),
  url: fc.constant("https://example.org/a"),
  filename: fc.option(fc.constant("a.txt"), { nil: undefined }),
  size: fc.option(fc.nat().map(BigInt), { nil: undefined }),
});
const resultWithFiles = fc.record({
  toolCallId: id,
  toolName: fc.string({ maxLength: 10 }),
  outcome: fc.record({ case: fc.constant("resultJson" as const), value: json }),
  files: fc.array(file, { maxLength: 3 }),
});
const start = fc.record({
  ...base,
  inputJson: json,
  rollback: fc.option(fc.record({ afterMessageId: fc.option(id, { nil: undefined }) }), { nil: undefined }),
  sender: fc.option(fc.record({ id: optionalText, name: optionalText }), { nil: undefined }),
  dynamicTools: fc.uniqueArray(
    fc.record({ name: fc.stringMatching(/^[a-z]{1,8}$/), description: fc.string(), inputSchemaJson: json }),
    { selector: ({ name }) => name, maxLength: 3 },
  ),
});
const continuation = fc.record({
  ...base,
  executionId: fc.option(id, { nil: undefined }),
  toolResults: fc.uniqueArray(fc.oneof(result, resultWithFiles), {
    selector: ({ toolCallId }) => toolCallId,
    minLength: 1,
    maxLength: 4,
  }),
});

test("a command that was stored with its lease is read as the caller sent it", async () => {
  const property = fc.asyncProperty(fc.oneof(start, continuation), async (given) => {
    const request = create(TriggerRequestSchema, defined(given));
    const command = await readTriggerCommand(request);
    const { detached, reportsUsage } = command;
    const stored = structuredClone(toStored(request));
    const again = await readTriggerCommand(fromStored(request.sessionId, stored, { detached, reportsUsage }));
    assert.deepEqual(again, command);
  });
  await fc.assert(property, { numRuns: 300 });
});

/** Absent fields are absent, not undefined. */
function defined<T extends object>(value: T): T {
  for (const [name, field] of Object.entries(value)) {
    if (field === undefined) Reflect.deleteProperty(value, name);
    else if (typeof field === "object" && field !== null) defined(field);
  }
  return value;
}
