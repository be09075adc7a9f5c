import assert from "node:assert/strict";
import { test } from "vitest";
import { checkModelId } from "./model-id.ts";

test("a model id must name a known provider", () => {
  for (const id of [
    "demo/echo",
    "anthropic/claude-sonnet-4-5",
    "aggregator/meta/llama-4:free",
    "local/qwen3:8b",
  ]) {
    assert.deepEqual(checkModelId(id), { ok: true }, id);
  }
  assert.deepEqual(checkModelId("antropic/claude"), { ok: false, unknownProvider: "antropic" });
  for (const id of ["", "demo", "demo/", "/echo", "Demo/echo", "demo/a b", `demo/${"x".repeat(200)}`]) {
    assert.deepEqual(checkModelId(id), { ok: false, unknownProvider: undefined }, id);
  }
});
