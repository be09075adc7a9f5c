import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "vitest";
import { Output } from "./output.ts";
import { showTable } from "./show-table.ts";

const columns = [
  { heading: "SLUG", shrinks: true },
  { heading: "NAME", shrinks: true },
  { heading: "UPDATED", isTime: true },
  { heading: "ID", isOptional: true },
];
const row = [
  "support-chat",
  "Support chat for our shop",
  "2030-01-31T12:34:56.789Z",
  "agt_01m806vms33har9s7qhj702m1wfae6",
];

function tableAt(width: number | undefined, cells = row): string[] {
  const terminal = width === undefined ? {} : { isTTY: true, columns: width };
  const stdout = Object.assign(new PassThrough(), terminal);
  const stderr = new PassThrough();
  const io = {
    ...{ stdin: new PassThrough(), stdout, stderr, env: { NO_COLOR: "1" }, program: "muster", cwd: "/" },
    now: () => Date.parse("2030-01-31T12:37:30Z"),
    onInterrupt: () => () => undefined,
  };
  showTable(new Output(io, false), columns, [cells]);
  return String(stdout.read()).trimEnd().split("\n");
}

test("a table is cut to fit a terminal, and is complete in a pipe", () => {
  assert.equal(tableAt(undefined)[1], row.join("  "));
  assert.equal(tableAt(95)[1], [row[0], row[1], "2 min ago", row[3]].join("  "));
  assert.equal(tableAt(80)[1], [row[0], row[1], "2 min ago"].join("  "));
  assert.equal(tableAt(43)[1], ["support-chat", "Support chat for …", "2 min ago"].join("  "));
  for (const width of [36, 40, 50, 60, 70, 80, 90, 100])
    for (const line of tableAt(width)) assert.ok(line.length <= width, `${width}: ${line}`);
});

test("a table fits 80 columns of a terminal that does not report its size", () => {
  assert.deepEqual(tableAt(0), tableAt(80));
});

test("a value with line breaks or tabs stays in its row and column", () => {
  assert.deepEqual(tableAt(undefined, ["a\nfake\u2028row", "b\tc\r\nd"]).slice(1), ["a fake row  b c d"]);
});
