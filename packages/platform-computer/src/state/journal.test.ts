import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "@muster/testing";
import { test } from "vitest";
import { ConnectError } from "../connect-error.ts";
import { defaultJournalLimits, Journal } from "./journal.ts";
import { lockFolder } from "./lock-folder.ts";

const id = (callId: string) => ({ agentId: "agt_1", callId });

test("a journal that was cut at any byte keeps each whole line, and no call without a stored end has an outcome", async (t) => {
  const folder = await temporaryDirectory(t);
  const path = join(folder, "journal");
  const journal = new Journal(folder);
  journal.raiseEpoch("agt_1", 5n);
  journal.connected("cmp_1", 3n);
  journal.begin(id("a"), { pid: 1, started: "then" });
  const begun = statSync(path).size;
  journal.end(id("a"), { result: '"ö"' });
  const ended = statSync(path).size;
  journal.acknowledge(id("a"));
  journal.close();
  const whole = readFileSync(path);
  for (let size = 0; size <= whole.length; size++) {
    writeFileSync(path, whole.subarray(0, size));
    const cut = new Journal(folder);
    const outcome = cut.find(id("a"))?.outcome;
    assert.deepEqual(outcome, size >= ended ? { result: '"ö"' } : undefined, `${size}`);
    assert.equal(cut.begun().length, size >= begun && size < ended ? 1 : 0, `${size}`);
    cut.end(id("b"), { error: "no" });
    cut.close();
    const again = new Journal(folder);
    assert.deepEqual(again.find(id("b"))?.outcome, { error: "no" }, `${size}`);
    again.close();
  }
  const last = new Journal(folder);
  assert.deepEqual(
    [last.epochOf("agt_1"), last.connectionEpoch("cmp_1"), last.latestComputer],
    [5n, 3n, "cmp_1"],
  );
  assert.deepEqual(last.unacknowledged(), [id("b")]);
  last.close();
});

test("a journal is bounded: the oldest outcomes become unknown, the file is copied, and ids are kept longest", async (t) => {
  const folder = await temporaryDirectory(t);
  const limits = { maxOutcomes: 5, maxBytes: 2_000, maxCalls: 20, maxAgents: 2 };
  const journal = new Journal(folder, limits);
  for (const agent of ["x", "y", "z"]) journal.raiseEpoch(agent, 9n);
  for (let index = 0; index < 1_000; index++) {
    journal.begin(id(`${index}`));
    journal.end(id(`${index}`), { result: JSON.stringify("r".repeat(100 + index)) });
    assert.ok(statSync(join(folder, "journal")).size < 20_000);
  }
  journal.close();
  const again = new Journal(folder, limits);
  assert.equal(again.find(id("900")), undefined);
  assert.deepEqual(again.find(id("990")), { outcome: { unknown: true } });
  assert.deepEqual(again.find(id("999")), { outcome: { result: JSON.stringify("r".repeat(1_099)) } });
  assert.deepEqual([again.epochOf("x"), again.epochOf("z")], [0n, 9n]);
  again.close();
  assert.ok(defaultJournalLimits.maxBytes === 64 * 1024 * 1024 && defaultJournalLimits.maxOutcomes === 1_000);
});

test("a journal with damaged lines keeps the others", async (t) => {
  const folder = await temporaryDirectory(t);
  const line = JSON.stringify({ end: id("a"), outcome: { result: "1" } });
  const damaged = [
    "{}",
    "nonsense",
    '{"begin":{"agentId":1}}',
    '{"epoch":"-1","agent":"a"}',
    "\0\0",
    '{"end":null}',
  ];
  writeFileSync(
    join(folder, "journal"),
    [...damaged, line, '{"end":{"agentId":"agt_1","callId":"b"},"outcome":7}', ""].join("\n"),
  );
  const journal = new Journal(folder);
  assert.deepEqual(journal.find(id("a")), { outcome: { result: "1" } });
  assert.deepEqual(journal.find(id("b")), { outcome: { unknown: true } });
  journal.close();
});

test("a state folder has one process at a time, and that of a dead process is free", async (t) => {
  const folder = await temporaryDirectory(t);
  writeFileSync(join(folder, "lock.41"), JSON.stringify({ pid: process.pid, started: "another start" }));
  const unlock = lockFolder(folder);
  assert.throws(
    () => lockFolder(folder),
    (error: Error) =>
      error instanceof ConnectError && error.message.startsWith(`Process ${process.pid} already uses`),
  );
  unlock();
  lockFolder(folder)();
});
