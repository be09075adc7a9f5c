import assert from "node:assert/strict";
import { test } from "vitest";
import { EventFormatError, isSubject, readEvent } from "./subjects.ts";

test("an event is parsed into exactly the fields of its subject", () => {
  const data = { sessionId: "ses_1", executionId: "exe_1", epoch: 3, reason: "cleared", extra: true };
  const { extra: _, ...expected } = data;
  assert.deepEqual(readEvent("sessions.execution-abort", data), expected);
});

test("an event of another shape is refused with the name of the invalid field", () => {
  const wrong: Array<[unknown, RegExp]> = [
    [null, /not an object/],
    ["text", /not an object/],
    [{}, /sessionId is not a text/],
    [{ sessionId: "", executionId: "e", epoch: 1, reason: "cleared" }, /sessionId/],
    [{ sessionId: "s", executionId: "e", epoch: 1.5, reason: "cleared" }, /epoch is not an integer/],
    [
      { sessionId: "s", executionId: "e", epoch: 1, reason: "bored" },
      /reason is not one of cancelled, cleared/,
    ],
  ];
  for (const [data, message] of wrong) {
    assert.throws(
      () => readEvent("sessions.execution-abort", data),
      (error: Error) => {
        assert.ok(error instanceof EventFormatError);
        assert.match(error.message, message);
        return true;
      },
    );
  }
});

test("only names in the catalogue are subjects", () => {
  assert.deepEqual(["auth.key-revoked", "toString", "", "auth.*"].map(isSubject), [
    true,
    false,
    false,
    false,
  ]);
});
