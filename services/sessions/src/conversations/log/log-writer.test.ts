import assert from "node:assert/strict";
import { createLogger } from "@muster/service";
import { until } from "@muster/testing";
import { describe, onTestFinished, test, vi } from "vitest";
import { type LogDocument, type LogStore, logId } from "../../store/log-store.ts";
import { createLogWriter } from "./execution-logs.ts";

const limits = { maxEntries: 10, maxLength: 1_000 };

function documentOf(epoch: number, length = 10): LogDocument {
  return {
    _id: logId("ses_1", epoch, 1),
    projectId: "prj_1",
    agentId: "agt_1",
    sessionId: "ses_1",
    executionId: "exe_1",
    ...{ count: 1, requests: 0, length, entries: "{}" },
    createdAt: new Date(0),
    expiresAt: null,
  };
}

/** A writer for a store whose inserts end when `proceed` is called. */
function openWriter(changed: Partial<LogStore> = {}, maxWaitMs = 1, gatherMs = 0) {
  const inserts: string[][] = [];
  const waiting: Array<() => void> = [];
  const warnings: string[] = [];
  const store = {
    insert: async (documents: readonly LogDocument[]) => {
      inserts.push(documents.map(({ _id }) => _id));
      await new Promise<void>((resolve) => waiting.push(resolve));
    },
    headers: async () => [],
    delete: async () => undefined,
    dropRequests: async () => ({ count: 0, requests: 0, length: 0 }),
    ...changed,
  };
  const destination = { write: (line: string) => void warnings.push(JSON.parse(line).msg) };
  const log = createLogger({ name: "test", level: "warn", destination });
  const storedExecutions = async () => new Set<string>();
  const writer = createLogWriter({ store, log, limits, storedExecutions, gatherMs, maxWaitMs });
  return { writer, inserts, warnings, proceed: () => waiting.shift()?.() };
}

describe("the writer of execution logs", () => {
  test("documents that arrive during a write share the next one", async () => {
    const { writer, inserts, proceed } = openWriter();
    const first = writer.write(documentOf(1));
    await until(() => inserts.length === 1);
    const writes = [first, ...[2, 3].map((epoch) => writer.write(documentOf(epoch)))];
    proceed();
    await until(() => inserts.length === 2);
    proceed();
    await Promise.all(writes);
    assert.deepEqual(
      inserts.map((ids) => ids.length),
      [1, 2],
    );
  });

  test("where no other instance can read, documents gather until a reader arrives, and no turn waits for them", async () => {
    const { writer, inserts, proceed } = openWriter({}, 60_000, 3_600_000);
    for (const epoch of [1, 2, 3]) await writer.settle(writer.write(documentOf(epoch)));
    assert.equal(inserts.length, 0);
    const read = writer.flush();
    await until(() => inserts.length === 1);
    assert.equal(inserts.flat().length, 3);
    proceed();
    await read;
    void writer.write(documentOf(4));
    const closing = writer.close();
    await until(() => inserts.length === 2);
    proceed();
    await closing;
  });

  test("a store that hangs delays one turn for a moment and the next ones not at all", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { writer, proceed } = openWriter({}, 250);
    const hanging = writer.write(documentOf(1));
    const firstTurn = writer.settle(hanging);
    vi.advanceTimersByTime(250);
    await firstTurn;
    // The time stands still: a turn that waits would never end.
    await writer.settle(hanging);
    proceed();
    await hanging;
  });

  test("a failed write loses its documents with one warning, until the store works again", async () => {
    let fails = true;
    const { writer, warnings } = openWriter({
      insert: async () => {
        if (fails) throw new Error("The disk is full");
      },
    });
    for (const epoch of [1, 2, 3]) await writer.write(documentOf(epoch));
    assert.equal(warnings.length, 1);
    fails = false;
    await writer.write(documentOf(4));
    fails = true;
    await writer.write(documentOf(5));
    assert.equal(warnings.length, 2);
  });

  test("a store that does not keep up costs a bounded amount of memory, and the rest is lost with one warning", async () => {
    const { writer, inserts, warnings, proceed } = openWriter();
    const mib = 1024 * 1024;
    const first = writer.write(documentOf(1));
    await until(() => inserts.length === 1);
    const writes = Array.from({ length: 20 }, (_, index) => writer.write(documentOf(index + 2, mib)));
    await Promise.all(writes.slice(6));
    assert.equal(warnings.length, 1);
    proceed();
    await first;
    await until(() => inserts.length === 2);
    assert.equal(inserts[1]?.length, 6);
    proceed();
    await Promise.all(writes);
  });

  test("a project whose entries fill their share loses no entry of another project", async () => {
    const { writer, inserts, proceed } = openWriter();
    const mib = 1024 * 1024;
    const first = writer.write(documentOf(1));
    await until(() => inserts.length === 1);
    const flood = Array.from({ length: 20 }, (_, index) => writer.write(documentOf(index + 2, mib)));
    const other = { ...documentOf(99, mib), _id: "other", projectId: "prj_2" };
    const kept = writer.write(other);
    proceed();
    await first;
    await until(() => inserts.length === 2);
    assert.ok(inserts[1]?.includes("other"));
    proceed();
    await Promise.all([...flood, kept]);
  });
});
