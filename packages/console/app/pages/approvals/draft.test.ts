import assert from "node:assert/strict";
import { test } from "vitest";
import { type Draft, fieldsOf, jsonOf, readDraft } from "./draft.ts";

const args = { orderId: "1042", amount: 500, items: [{ price: 1 }], isUrgent: true };

test("arguments without an edit are read unchanged, as fields and as JSON", () => {
  for (const draft of [fieldsOf(args), jsonOf(args)]) assert.deepEqual(readDraft(draft, args), { args });
});

test("a text stays a text, also if it looks like a number", () => {
  const draft: Draft = { as: "fields", texts: { orderId: "7", amount: "7" } };
  assert.deepEqual(readDraft(draft, args), { args: { orderId: "7", amount: 7 } });
});

test.each([
  [{ as: "fields", texts: { amount: "a lot" } }, "args.amount"],
  [{ as: "fields", texts: { items: "[" } }, "args.items"],
  [{ as: "json", text: "[1]" }, "args"],
  [{ as: "json", text: "{" }, "args"],
] as const)("%j cannot be read, and names its argument", (draft, path) => {
  const read = readDraft(draft, args);
  assert.equal("path" in read && read.path, path);
});
