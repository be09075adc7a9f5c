import assert from "node:assert/strict";
import { linesIn } from "@muster/store/event-log";
import fc from "fast-check";
import { describe, test } from "vitest";
import type { TimelineState } from "./state-after.ts";
import { Thinning } from "./thinning.ts";
import { TimelineWriter } from "./timeline-writer.ts";

const nothing = { used: null, usedBefore: null };
const mib = 1024 * 1024;
const untouched: TimelineState = { untilMs: 0, bytes: 0, messageId: null, ...nothing };

const output = (text: string, toolCallId = "call_1") => ({
  type: "computer-output",
  json: JSON.stringify({ type: "computer-output", toolCallId, stream: "stdout", text }),
});
const status = (name: string) => ({
  type: "thread-status",
  json: JSON.stringify({ type: "thread-status", status: name }),
});

describe("a timeline that grows too large", () => {
  test("is kept unchanged below 40 MiB, and never exceeds 50 MiB, however much the run writes", () => {
    const chunk = output("x".repeat(120_000));
    const call = {
      type: "tool-input-available",
      json: JSON.stringify({
        type: "tool-input-available",
        toolCallId: "c",
        toolName: "t",
        input: { text: "y".repeat(50_000) },
      }),
    };
    let state = { ...untouched };
    let full = 0;
    for (let document = 0; document < 20_000; document++) {
      const writer = new TimelineWriter(state);
      for (const event of [chunk, call]) writer.event({ ...event, atMs: document });
      const part = writer.part("rec_1", nothing);
      assert.ok(part);
      if (part.lines === undefined) full = part.bytes;
      state = part;
    }
    assert.ok(full > 39.5 * mib && full < 41 * mib, `${full} bytes in full`);
    assert.ok(state.bytes > 49 * mib && state.bytes <= 50.1 * mib, `${state.bytes} bytes`);
    const writer = new TimelineWriter(state);
    writer.event({ ...chunk, atMs: 1 });
    writer.event({ ...status("completed"), atMs: 2 });
    const lines = linesIn(writer.part("rec_1", nothing)?.lines ?? "");
    assert.deepEqual(lines, [status("completed")]);
  });

  test("takes no more messages at 50 MiB, and still knows the latest", () => {
    const writer = new TimelineWriter({ ...untouched, bytes: 50 * mib });
    const message = { type: "user-message", json: JSON.stringify({ text: "x".repeat(100_000) }) };
    writer.message({ ...message, atMs: 1 }, "msg_2");
    writer.event({ ...status("running"), atMs: 2 });
    const part = writer.part("rec_1", nothing);
    assert.deepEqual(linesIn(part?.lines ?? ""), [status("running")]);
    assert.equal(part?.messageId, "msg_2");
  });

  test("keeps the beginning of each output and a mark, all calls, and no long text", () => {
    const thinning = new Thinning();
    const kept = (line: { type: string; json: string }) => {
      const made = thinning.kept(line);
      return made && JSON.parse(made.json);
    };
    assert.equal(kept(output("a".repeat(900))).text.length, 900);
    assert.equal(kept(output("b".repeat(900))).text, `${"b".repeat(100)} […] `);
    assert.equal(kept(output("c")), undefined);
    assert.equal(kept(output("d", "call_2")).text, "d");
    const call = {
      type: "tool-output-available",
      json: JSON.stringify({ type: "t", output: { a: ["z".repeat(9_000)] } }),
    };
    assert.equal(kept(call).output.a[0], `${"z".repeat(1_000)} […] `);
    const many = { type: "t", toolCallId: "c", output: Array.from({ length: 50_000 }, (_, index) => index) };
    assert.deepEqual(kept({ type: "t", json: JSON.stringify(many) }), { type: "t", toolCallId: "c" });
    assert.equal(kept({ type: "text-delta", json: "{" }), undefined);
  });

  test("whatever the events contain, each stays one line of JSON with its type, and none grows", () => {
    const event = fc.record({
      type: fc.constantFrom(
        "text-delta",
        "computer-output",
        "tool-output-available",
        "__proto__",
        "constructor",
      ),
      value: fc.dictionary(
        fc.constantFrom("__proto__", "constructor", "delta", "text", "id", "x"),
        fc.jsonValue(),
        {
          noNullPrototype: true,
        },
      ),
      pad: fc.nat(12_000),
    });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 20 }), (events) => {
        const thinning = new Thinning();
        for (const { type, value, pad } of events) {
          const json = JSON.stringify({ ...value, type, pad: "p".repeat(pad) });
          const kept = thinning.kept({ type, json });
          if (kept === undefined) continue;
          assert.equal(kept.type, type);
          assert.ok(!kept.json.includes("\n") && kept.json.length <= json.length + 100);
          assert.equal(JSON.parse(kept.json).type, type);
        }
      }),
    );
  });

  test("times never decrease, whatever the clock does", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -1_000, max: 100_000 }), { minLength: 1 }), (times) => {
        const writer = new TimelineWriter({ ...untouched, untilMs: 500 });
        for (const atMs of times) writer.event({ ...status("running"), atMs });
        const part = writer.part("rec_1", nothing);
        const steps = (part?.times ?? "").split(" ").map(Number);
        assert.ok(steps.every((step) => step >= 0) && steps.length === times.length);
        assert.equal(part?.untilMs, 500 + steps.reduce((sum, step) => sum + step, 0));
        assert.equal(part?.untilMs, Math.max(500, ...times));
      }),
    );
  });
});
