import assert from "node:assert/strict";
import { test } from "vitest";
import { partAfter, readResponseId, responseIdOf } from "./response-id.ts";

test("each continuation of a turn has a part of its own, which its id keeps", () => {
  const partOf = (...ids: string[]) =>
    partAfter({ results: ids.map((toolCallId) => ({ toolCallId, output: "" })) });
  assert.equal(partOf("a", "b"), partOf("b", "a"));
  assert.notEqual(partOf("a"), partOf("b"));
  for (const part of ["0", partOf("a"), partOf("b")]) {
    const ids = { sessionId: "ses_1", executionId: "exe_1", messageId: "msg_1" };
    const place = { ...ids, part, after: 0, background: false, model: "muster/a" };
    assert.deepEqual(readResponseId(responseIdOf(place)), place);
  }
});
