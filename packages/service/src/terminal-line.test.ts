import assert from "node:assert/strict";
import { stripVTControlCharacters } from "node:util";
import { test } from "vitest";
import { createLogger, type Logger } from "./log.ts";
import { terminalLine } from "./terminal-line.ts";

function shown(write: (log: Logger) => void): string {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(terminalLine(line)) };
  write(createLogger({ name: "test", level: "debug", destination }));
  return stripVTControlCharacters(lines.join("")).replace(/^\d\d:\d\d:\d\d /, "");
}

test("a terminal shows a log line as its level, message and fields", () => {
  const text = shown((log) => log.info({ method: "GET", status: 200, why: "two words" }, "request"));
  assert.equal(text, 'info  request method=GET status=200 why="two words"\n');
});

test("a terminal shows the stack of an error below its line", () => {
  const text = shown((log) => log.error({ err: new Error("a bug") }, "failed"));
  assert.match(text, /^error failed\n {2}Error: a bug\n {6}at /);
});

test("control characters of a value do not reach the terminal", () => {
  assert.match(
    shown((log) => log.warn({ said: "\u001b[2J\nforged" }, "x")),
    /said="\\u001b\[2J\\nforged"/,
  );
});
