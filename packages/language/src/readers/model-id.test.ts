import assert from "node:assert/strict";
import { test } from "vitest";
import { canonicalModelId, checkModelId } from "./model-id.ts";

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

test("a model id of x-ai is the same as one of xai, and other ids stay unchanged", () => {
  assert.deepEqual(checkModelId("x-ai/grok-4"), { ok: true });
  assert.equal(canonicalModelId("x-ai/grok-4"), "xai/grok-4");
  for (const id of ["xai/grok-4", "aggregator/x-ai/grok-4", "x-ai", "demo/x-ai/y", ""]) {
    assert.equal(canonicalModelId(id), id);
  }
});
