import assert from "node:assert/strict";
import { test } from "vitest";
import { lookUpInTurn } from "./look-up-in-turn.ts";

test("the operating system's own names resolve, also after one that does not exist", async () => {
  const unknown = lookUpInTurn("does-not-exist.invalid");
  const known = lookUpInTurn("localhost");
  await assert.rejects(unknown);
  for (const address of await known) assert.match(address, /^(127\.0\.0\.\d+|::1)$/);
  assert.ok((await known).length > 0);
});
