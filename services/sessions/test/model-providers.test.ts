import assert from "node:assert/strict";
import { modelProviders } from "@muster/language";
import { parseModelId } from "@muster/models";
import { test } from "vitest";

test("definitions may name exactly the providers with which models can be resolved", () => {
  for (const provider of modelProviders) {
    assert.equal(parseModelId(`${provider}/echo`).ok, true, provider);
  }
  const unknown = parseModelId("nobody/echo");
  assert.equal(unknown.ok, false);
  assert.ok(!unknown.ok && modelProviders.every((provider) => unknown.problem.includes(provider)));
});
