import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { githubCommand } from "./github.ts";

/** Reads a command as GitHub's runner does. */
function parse(command: string): { level: string; properties: Record<string, string>; message: string } {
  const [, level = "", given = "", message = ""] = /^::(\w+) (.*?)::(.*)$/su.exec(command) ?? [];
  const data = (text: string) => text.replaceAll("%0D", "\r").replaceAll("%0A", "\n");
  const property = (text: string) =>
    data(text).replaceAll("%3A", ":").replaceAll("%2C", ",").replaceAll("%25", "%");
  const properties = given.split(",").map((pair) => {
    const [name = "", value = ""] = pair.split(/=(.*)/su, 2);
    return [name, property(value)];
  });
  return { level, properties: Object.fromEntries(properties), message: data(message).replaceAll("%25", "%") };
}

const hostile = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: fc.constantFrom("%", "\r", "\n", ":", ",", "=", "0", "A", "2", "5", "C", "3") }),
);

test("GitHub reads every text of a workflow command unchanged from one line", () => {
  const same = fc.property(hostile, hostile, hostile, (file, code, message) => {
    const command = githubCommand({ file, line: 3, column: 7, severity: "error", code, message, path: "" });
    assert.doesNotMatch(command, /[\r\n]/);
    assert.deepEqual(parse(command), {
      level: "error",
      properties: { file, line: "3", col: "7", title: code },
      message,
    });
  });
  fc.assert(same);
});

test("a workflow command uses GitHub's levels, and has no line if the finding has none", () => {
  const finding = { file: "a", code: "X", message: "m", path: "" };
  assert.equal(githubCommand({ ...finding, severity: "info" }), "::notice file=a,title=X::m");
  assert.equal(githubCommand({ ...finding, severity: "warning" }), "::warning file=a,title=X::m");
});
