import assert from "node:assert/strict";
import { defaultFileRules } from "@muster/storage/files";
import { test } from "vitest";
import { maxFileTextTokens } from "../conversation/files.ts";
import { tokensOfFile } from "./estimate.ts";

test("a file counts at most as many tokens as a model is sent of it, whatever size its sender claims", () => {
  const file = { id: "file_1", url: "https://files.example/a" };
  const tokens = (mediaType: string, size: number) => tokensOfFile({ ...file, mediaType, size });
  assert.equal(tokens("text/plain", 4_000), 1_000);
  assert.equal(tokens("text/plain", defaultFileRules.maxBytes), maxFileTextTokens);
  for (const mediaType of ["text/plain", "application/json", "application/pdf", "image/png"]) {
    const largest = tokens(mediaType, defaultFileRules.maxBytes);
    assert.equal(tokens(mediaType, Number.MAX_SAFE_INTEGER), largest);
    assert.ok(largest <= 600_000);
  }
});
