import assert from "node:assert/strict";
import { test } from "vitest";
import { piecesOf } from "./pieces.ts";

const run = { id: "c1", command: "ls", directory: "~", output: "", problem: undefined };
const textOf = (pieces: ReturnType<typeof piecesOf>) => pieces.map(({ text }) => text).join("");

test("a command shows its control characters, so that it cannot redraw the terminal", () => {
  const text = textOf(piecesOf([{ ...run, command: "echo \x1b[2J\x07" }]));
  assert.ok(text.includes("$ echo \u241b[2J\u2407"), text);
});

test("a terminal has the output of each command below it, and why it failed", () => {
  const pieces = piecesOf([
    { ...run, output: "a\n", problem: "exit 2" },
    { ...run, command: "pwd" },
  ]);
  assert.deepEqual(
    pieces.map(({ isOutput }) => isOutput),
    [false, true, false, false],
  );
  assert.match(textOf(pieces), /ls.*a\n.*exit 2.*pwd/s);
});

test("of a flood, a terminal shows the beginning and the end", () => {
  const flood = `first${"x".repeat(1_000_000)}last`;
  const text = textOf(piecesOf([{ ...run, output: flood }]));
  assert.ok(text.length < 70_000);
  assert.ok(text.includes("first") && text.endsWith("last"));
});
