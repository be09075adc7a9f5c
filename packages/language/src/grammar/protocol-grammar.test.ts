import assert from "node:assert/strict";
import { test } from "vitest";
import { protocolGrammar } from "./protocol-grammar.ts";
import type { FieldShapes, Shape } from "./shapes.ts";

/** Every field of the language with its path. */
function* fieldsOf(fields: FieldShapes, path: string): Generator<[string, FieldShapes[string]]> {
  for (const [name, field] of Object.entries(fields)) {
    yield [`${path}.${name}`, field];
    yield* fieldsIn(field.shape, `${path}.${name}`);
  }
}

function* fieldsIn(shape: Shape, path: string): Generator<[string, FieldShapes[string]]> {
  if (shape.kind === "object") yield* fieldsOf(shape.fields, path);
  if (shape.kind === "list") yield* fieldsIn(shape.items, path);
  if (shape.kind === "map") yield* fieldsIn(shape.values, path);
  if (shape.kind === "anyOf") for (const each of shape.shapes) yield* fieldsIn(each, path);
  if (shape.kind === "tagged")
    for (const [tag, { fields }] of Object.entries(shape.variants)) yield* fieldsOf(fields, `${path}.${tag}`);
}

const all = new Map([
  ...fieldsOf(protocolGrammar.settings, "settings"),
  ...fieldsOf(protocolGrammar.formats.interactive, "interactive"),
  ...fieldsOf(protocolGrammar.formats.worker, "worker"),
]);

test("the grammar describes every key in sentences", () => {
  for (const [path, { doc }] of all) assert.match(doc, /^\S[^\n]{8,}\.$/, path);
  for (const [kind, { doc }] of Object.entries(protocolGrammar.blocks)) assert.match(doc, /\.$/, kind);
});

test("the grammar contains the keys of agents, blocks, types and variables", () => {
  for (const path of [
    "interactive.agent.model",
    "interactive.handlers.add-message.role",
    "interactive.types.discriminator",
    "interactive.triggers.input.enum",
    "interactive.tools.parameters.optional",
    "worker.steps.start-thread.maxSteps",
  ])
    assert.ok(all.has(path), path);
});

test("the grammar lists required keys and the defaults of the others", () => {
  assert.equal(all.get("interactive.agent.model")?.absent, undefined);
  assert.deepEqual(all.get("interactive.agent.maxSteps")?.absent, { value: 10 });
  assert.deepEqual(all.get("interactive.agent.temperature")?.absent, { value: undefined });
  assert.deepEqual(all.get("worker.steps.tool-call.display")?.absent, { value: "description" });
});
