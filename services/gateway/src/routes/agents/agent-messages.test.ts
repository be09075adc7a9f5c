import assert from "node:assert/strict";
import { test } from "vitest";
import { changeMessage } from "./agent-messages.ts";

test("the message about a changed agent counts warnings, and nothing else", () => {
  const said = (...severities: string[]) =>
    changeMessage(
      "Agent created",
      severities.map((severity) => ({ severity })),
    );
  assert.equal(said(), "Agent created");
  assert.equal(said("info", "info"), "Agent created");
  assert.equal(said("info", "warning"), "Agent created with a warning");
  assert.equal(said("warning", "info", "warning"), "Agent created with 2 warnings");
});
