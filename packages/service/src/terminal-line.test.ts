import assert from "node:assert/strict";
import { test } from "vitest";
import { createLogger, type Logger } from "./log.ts";
import { terminalLine } from "./terminal-line.ts";

const style = new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, "g");

function shown(write: (log: Logger) => void): string {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(terminalLine(line)) };
  write(createLogger({ name: "test", level: "debug", destination }));
  // Only the styles: everything else must be harmless by itself.
  return lines
    .join("")
    .replace(style, "")
    .replace(/^\d\d:\d\d:\d\d /, "");
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

test("no control character of a message, field or stack reaches the terminal", () => {
  // Clears the screen, rings, sets the title with a one-byte introducer, deletes.
  const hostile = "a\u001b[2J\u0007\u009b2J\bb\u007f";
  const escaped = "a\\u001b[2J\\u0007\\u009b2J\\u0008b\\u007f";
  const text = shown((log) =>
    log.error({ said: hostile, list: [hostile], [hostile]: 1, err: new Error(hostile) }, hostile),
  );
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about
  assert.doesNotMatch(text, /[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
  assert.equal(text.slice(0, text.indexOf(" list=")), `error ${escaped} said=${escaped}`);
  assert.ok(text.includes(`\n  Error: ${escaped}\n`), text);
});

test("a line break in a message cannot forge a line of the log", () => {
  assert.equal(
    shown((log) => log.info("one\nerror two")),
    "info  one\\nerror two\n",
  );
});
