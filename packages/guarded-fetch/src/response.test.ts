import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { survivors } from "@muster/testing";
import { test } from "vitest";
import { GuardedResponse } from "./response.ts";

test("a body keeps none of the pieces in which it arrives", async () => {
  const body = new PassThrough();
  const response = new GuardedResponse(new URL("https://example.com"), 200, new Headers(), body);
  const bytes = response.bytes();
  const kept = await survivors(async (piece) => {
    body.write(piece);
    await new Promise((resolve) => setImmediate(resolve));
  });
  assert.ok(kept < 10, `${kept} pieces`);
  body.end();
  assert.equal((await bytes).length, 1_000);
});
