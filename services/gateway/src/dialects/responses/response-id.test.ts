import assert from "node:assert/strict";
import { test } from "vitest";
import { partOf, readResponseId, responseIdOf } from "./response-id.ts";

test("each continuation of a turn has a part of its own, which its id keeps", () => {
  const turn = { sessionId: "ses_1", executionId: "exe_1" };
  const partAfter = (...ids: string[]) =>
    partOf({ ...turn, results: ids.map((toolCallId) => ({ toolCallId, output: "" })) });
  assert.equal(partAfter("a", "b"), partAfter("b", "a"));
  assert.notEqual(partAfter("a"), partAfter("b"));
  for (const part of ["0", "apr_1", partAfter("a"), partAfter("b")]) {
    const ids = { ...turn, messageId: "msg_1" };
    const place = { ...ids, part, background: false, model: "muster/a" };
    assert.deepEqual(readResponseId(responseIdOf(place)), place);
  }
});
