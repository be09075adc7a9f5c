import assert from "node:assert/strict";
import { Type } from "@muster/wire/schema";
import { test } from "vitest";
import { createAgentBody } from "../../schemas/agents.ts";
import { restoreSessionBody, triggerBody } from "../../schemas/sessions.ts";
import { startThreadBody } from "../../schemas/workforce.ts";
import { hireAgentBody } from "../../schemas/workforce-admin.ts";
import { inspectorOf } from "./inspector.ts";

const query = { isBody: false, isPatch: false };

const names = Type.Array(Type.String(), { maxItems: 2 });
const schema = Type.Object({
  files: Type.Array(Type.Object({ names: Type.Optional(names) }), { maxItems: 3 }),
  free: Type.Optional(Type.Array(Type.String())),
});

test("lists that are too long are cut to one item more than their schema allows, at every level", () => {
  const value = {
    files: [{ names: ["a", "b", "c", "d"] }, 1, 2, 3, 4],
    free: ["a", "b", "c"],
    other: [1, 2, 3, 4],
  };
  inspectorOf(schema, query)?.(value);
  assert.deepEqual(value, {
    files: [{ names: ["a", "b", "c"] }, 1, 2, 3],
    free: ["a", "b", "c"],
    other: [1, 2, 3, 4],
  });
});

test("values of other types are left to the schema", () => {
  for (const value of [null, 1, [1], { files: "abcdef" }, { files: { length: 9 } }]) {
    const copy = structuredClone(value);
    inspectorOf(schema, query)?.(copy);
    assert.deepEqual(copy, value);
  }
});

test("a query without bounded lists is not inspected", () => {
  const free = Type.Object({ name: Type.String(), free: Type.Array(Type.String()) });
  assert.equal(inspectorOf(free, query), undefined);
});

function suggested(schema: object, body: unknown) {
  const find = inspectorOf(schema, { isBody: true, isPatch: false });
  return find?.(body).map(({ instancePath, params }) => [instancePath, params.suggestions]);
}

test("a member that resembles an absent one is found wherever the schema knows its members", () => {
  const cases: [schema: object, body: object, path: string, meant: string][] = [
    [startThreadBody, { message: "x", config: { recrod: true } }, "/config/recrod", "record"],
    [startThreadBody, { message: "x", ifidle: true }, "/ifidle", "ifIdle"],
    [startThreadBody, { message: "x", if_idle: true }, "/if_idle", "ifIdle"],
    [startThreadBody, { mesage: "x" }, "/mesage", "message"],
    [
      triggerBody,
      { roll_back_after_message_id: "x" },
      "/roll_back_after_message_id",
      "rollbackAfterMessageId",
    ],
    [triggerBody, { toolResults: [{}, { toolCallID: "x" }] }, "/toolResults/1/toolCallID", "toolCallId"],
    [hireAgentBody, { limits: { "monthly/Usd": 1 } }, "/limits/monthly~1Usd", "monthlyUsd"],
    [createAgentBody, { prompts: [{ name: "x", contnet: "x" }] }, "/prompts/0/contnet", "content"],
  ];
  for (const [schema, body, path, meant] of cases) {
    assert.deepEqual(suggested(schema, body), [[path, [meant]]], path);
  }
});

test("other unknown members, free keys and names beside what they resemble are left alone", () => {
  const bodies: [schema: object, body: unknown][] = [
    [startThreadBody, { message: "x", messages: "y", thread: 1, __proto__: 2, toString: 3 }],
    [startThreadBody, { colour: "red" }],
    [startThreadBody, { config: { capabilities: { recrod: true } } }],
    [hireAgentBody, { input: { naem: 1 }, limits: null, settings: [{ recrod: 1 }] }],
    [triggerBody, { input: { triggername: "x" }, to: 1, it: 2 }],
    [restoreSessionBody, { messages: [{ rol: "x", parts: [{ tpye: "y" }] }] }],
    ...[null, [], "x", 5].map((body): [object, unknown] => [triggerBody, body]),
  ];
  for (const [schema, body] of bodies)
    assert.deepEqual(suggested(schema, body) ?? [], [], JSON.stringify(body));
});

test("of a body with any number of unknown members, few are compared", () => {
  const toolResults = Array.from({ length: 1_000 }, () => ({ toolCallid: "x" }));
  assert.equal(suggested(triggerBody, { toolResults })?.length, 100);
});
