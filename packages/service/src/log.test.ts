import assert from "node:assert/strict";
import { test } from "vitest";
import { createLogger } from "./log.ts";

test("credentials passed to the log by mistake are not written", () => {
  const lines: string[] = [];
  const log = createLogger({
    name: "test",
    level: "info",
    destination: { write: (line) => void lines.push(line) },
  });
  log.info(
    {
      requestId: "req_1",
      authorization: "Bearer hush",
      call: { apiKey: "hush", token: "hush" },
      headers: { authorization: "hush" },
    },
    "called",
  );
  const line = lines.join("");
  assert.doesNotMatch(line, /hush/);
  assert.match(line, /"requestId":"req_1"/);
  assert.match(line, /"time":"\d{4}-/);
});
