import assert from "node:assert/strict";
import { openTestStore } from "@muster/store/testing";
import { test } from "vitest";
import { createChunkStore } from "./chunk-store.ts";

test("the chunks that contain a message come in the order of their positions, whatever their generations are called", async (t) => {
  const { db } = await openTestStore(t);
  const chunks = createChunkStore(db);
  const key = { projectId: "prj_1", sessionId: "ses_1" };
  const rest = { count: 1, shownIds: ["msg_1"], messages: "[]" };
  for (const [gen, first] of [
    ["gen_c", 2],
    ["gen_b", 0],
    ["gen_a", 1],
  ] as const) {
    await chunks.insert(key, { ...rest, gen, first }, new Date(0));
  }
  const found = await chunks.containing(key, "msg_1");
  assert.deepEqual(
    found.map(({ first }) => first),
    [0, 1, 2],
  );
});
