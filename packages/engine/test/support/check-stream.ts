import assert from "node:assert/strict";
import { checkEvent } from "@muster/wire/events/check";
import type { StreamEvent } from "../../src/shown/events.ts";

/** Checks the guarantees for clients in every stream. */
export function checkStream(events: readonly StreamEvent[]): void {
  for (const event of events) checkEvent(event);
  assert.equal(events[0]?.type, "start", "a stream begins with start");
  const last = events.at(-1)?.type;
  assert.ok(last === "finish" || last === "error", `a stream ends with finish or error, not ${last}`);
  const inner = events.slice(1).map(({ type }) => type);
  assert.ok(!inner.includes("start"), "start occurs once");
  assert.ok(
    !inner.slice(0, -1).some((type) => type === "finish" || type === "error"),
    "nothing follows the end",
  );
  checkPairs(events);
}

/** Parts that run at the same time are checked one after the other. */
function checkPairs(events: readonly StreamEvent[]): void {
  const seen = new Set<string>();
  const inner = events.filter(({ type }) => !type.startsWith("worker-"));
  const lanes = Map.groupBy(inner, (event) => ("workerId" in event ? event.workerId : undefined));
  for (const lane of lanes.values()) checkLane(lane, seen);
  checkCards(events);
}

/** A worker starts once and ends once, unless the turn pauses meanwhile. */
function checkCards(events: readonly StreamEvent[]): void {
  const open = new Set<string>();
  for (const event of events) {
    if (event.type === "worker-start" || event.type === "worker-input-start") open.add(event.workerId);
    if (event.type === "worker-result") open.delete(event.workerId);
  }
  const isPaused = events.some(isPause);
  if (!isPaused) assert.deepEqual([...open], [], "every worker ends");
}

function isPause(event: StreamEvent | undefined): boolean {
  if (event?.type === "finish") return event.openCalls !== undefined;
  return event?.type === "tool-request" || event?.type === "approval-request";
}

function checkLane(events: readonly StreamEvent[], seen: Set<string>): void {
  const open = new Set<string>();
  let thread: string | undefined;
  for (const event of events) {
    const id = idOf(event);
    if (id === undefined) continue;
    if (event.type === "block-start") thread = event.thread;
    if (open.size > 0) assert.equal("thread" in event ? event.thread : undefined, thread, event.type);
    if (event.type.endsWith("-start") || event.type === "source") {
      assert.ok(!seen.has(id), `${id} names two things`);
      seen.add(id);
      if (event.type !== "block-start") assert.ok(open.size > 0, `${event.type} is outside a block`);
      if (event.type !== "source") open.add(id);
    } else if (event.type.endsWith("-end")) {
      assert.ok(open.delete(id), `${event.type} of ${id}, which is not open`);
      if (event.type === "block-end") assert.equal(open.size, 0, "a block ends before its content");
    } else if (event.type.endsWith("-delta")) {
      assert.ok(open.has(id), `${event.type} of ${id}, which is not open`);
    }
  }
  assert.deepEqual([...open], [], "every start has its end");
}

function idOf(event: StreamEvent): string | undefined {
  if ("blockId" in event) return event.blockId;
  if ("toolCallId" in event) return event.toolCallId;
  return "id" in event ? event.id : undefined;
}

/**
 * The text that a client has assembled from a turn's streams, by thread. `isKept` decides by a block's name whether
 * its text is kept.
 */
export function liveText(
  events: readonly StreamEvent[],
  isKept: (blockName: string) => boolean,
): Record<string, string> {
  const kept: Record<string, string> = {};
  let [step, isWanted, thread] = ["", false, "main"];
  const typed = new Set<string>();
  const keep = () => {
    if (step !== "") kept[thread] = (kept[thread] ?? "") + step;
    step = "";
  };
  for (const event of events) {
    if (event.type === "block-start" || event.type === "step-start" || event.type === "block-end") keep();
    if (event.type === "block-start") {
      isWanted = isKept(event.blockName);
      thread = event.thread ?? "main";
    }
    if (event.type === "text-start" && event.responseType !== undefined) typed.add(event.id);
    if (event.type === "text-delta" && isWanted && !typed.has(event.id)) step += event.delta;
    if (event.type === "step-discard") step = "";
  }
  keep();
  return kept;
}

/** Checks the events of a worker around its turn, and the id on all events inside. */
export function checkWorkerStreams(streams: readonly StreamEvent[][]): void {
  const events = streams.flat();
  const [, start] = events;
  assert.ok(start?.type === "worker-start", "the first stream names the worker");
  const starts = events.filter((event) => event.type === "worker-start" && event.workerId === start.workerId);
  assert.equal(starts.length, 1);
  const results = events.filter(
    (event) => event.type === "worker-result" && event.workerId === start.workerId,
  );
  const last = streams.at(-1)?.slice(-2) ?? [];
  assert.deepEqual(
    [results.length, last[0]?.type === "worker-result"],
    last.some(isPause) ? [0, false] : [1, true],
    "a worker ends once, right before its stream",
  );
  for (const event of events) {
    const isOuter = ["start", "finish", "error"].includes(event.type) || isPause(event);
    if (!isOuter) assert.ok("workerId" in event && event.workerId !== undefined, event.type);
    if (event.type === "tool-request") {
      assert.ok(event.toolCalls.every(({ workerId }) => workerId !== undefined));
    }
  }
}
