import assert from "node:assert/strict";
import { test } from "vitest";
import { createLogger, type Logger } from "./log.ts";

/** The lines that a logger writes. */
function linesOf(write: (log: Logger) => void): string {
  const lines: string[] = [];
  write(
    createLogger({ name: "test", level: "info", destination: { write: (line) => void lines.push(line) } }),
  );
  return lines.join("");
}

test("credentials passed to the log by mistake are not written", () => {
  const line = linesOf((log) =>
    log.info(
      {
        requestId: "req_1",
        authorization: "Bearer hush",
        key: "hush",
        call: { apiKey: "hush", token: "hush" },
        headers: { authorization: "hush" },
      },
      "called",
    ),
  );
  assert.doesNotMatch(line, /hush/);
  assert.match(line, /"requestId":"req_1"/);
  assert.match(line, /"time":"\d{4}-/);
});

test("credentials that belong to an error or to a child logger are not written", () => {
  const error = Object.assign(new Error("refused"), { token: "hush", status: 401 });
  const lines = linesOf((log) => {
    log.error({ err: error }, "a call failed");
    log.error(error);
    log.child({ apiKey: "hush" }).info("called");
  });
  assert.doesNotMatch(lines, /hush/);
  assert.equal(lines.match(/"message":"refused"/g)?.length, 2);
  assert.match(lines, /"status":401/);
});

test("a logged object keeps its fields for the caller", () => {
  const call = { token: "needed", model: "m" };
  const line = linesOf((log) => log.info({ call }, "called"));
  assert.match(line, /"call":\{"token":"\[secret\]","model":"m"\}/);
  assert.deepEqual(call, { token: "needed", model: "m" });
});

test("a line is written for anything that was thrown, also without a stack", () => {
  const lines = linesOf((log) => {
    for (const err of [{ code: 7 }, Object.assign(new Error("bare"), { stack: undefined })])
      log.error({ err }, "failed");
  });
  assert.match(lines, /"code":7/);
  assert.match(lines, /"message":"bare"/);
});
