import assert from "node:assert/strict";
import { createCatalog } from "@muster/catalog";
import { ManualClock } from "@muster/service";
import { test } from "vitest";
import { createModelLists } from "./list-models.ts";

test("a model list is built once, and again when a dated price takes effect", () => {
  const clock = new ManualClock(Date.parse("2026-03-12T23:59:00Z"));
  const find = createModelLists(createCatalog({ clock }));
  const before = { all: find(undefined), anthropic: find("anthropic"), none: find("nobody") };
  assert.equal(find(undefined), before.all);
  assert.equal(find("anthropic"), before.anthropic);

  clock.advance(60_000);
  assert.notEqual(find(undefined).version, before.all.version);
  assert.notEqual(find("anthropic").version, before.anthropic.version);
  assert.equal(find("nobody"), before.none);
});
