import assert from "node:assert/strict";
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { RecordedRunSchema } from "@muster/proto/recordings";
import { test } from "vitest";
import { factsOf, outcomeOf, spanOf, usdOf } from "./facts.ts";

test("spans are shown in the two largest units", () => {
  const spans = [-5, 0, 499, 59_499, 60_000, 65_000, 3_599_000, 3_600_000, 90_061_000].map(spanOf);
  const minutes = ["1 min 0 s", "1 min 5 s", "59 min 59 s"];
  assert.deepEqual(spans, ["0 s", "0 s", "0 s", "59 s", ...minutes, "1 h 0 min", "25 h 1 min"]);
});

test("costs have two digits that are not 0, and an unreadable one stays unchanged", () => {
  const costs = ["0", "0.0123456", "0.000000456", "1.5", "12", "1e-7", "-1", "free"].map(usdOf);
  assert.deepEqual(costs, [
    "$0.00",
    "$0.012",
    "$0.00000046",
    "$1.50",
    "$12.00",
    "$0.00000010",
    "$-1.00",
    "free",
  ]);
});

test("unknown outcomes are shown unchanged", () => {
  const of = (status: string) => outcomeOf(create(RecordedRunSchema, { status }));
  assert.deepEqual(["completed", "paused", "constructor"].map(of), ["Completed", "paused", "constructor"]);
});

test("the facts of a run are in the order that readers ask for them, without what is absent", () => {
  const run = create(RecordedRunSchema, {
    ...{ agentName: "Lou", status: "failed", failureReason: "No <model>.", model: "demo/echo" },
    ...{ startedAt: timestampFromMs(0), endedAt: timestampFromMs(65_000) },
    usage: { costUsd: "0.5", inputTokens: 12_345n, outputTokens: 6n },
  });
  const shown = factsOf(run).map(({ text }) => text.replace(/<\/dt><dd>/g, ": ").replace(/<[^>]+>|\n/g, ""));
  assert.deepEqual(shown, [
    ...["Agent: Lou", "Outcome: Failed", "Reason: No &lt;model&gt;.", "Date: 1 January 1970 at 00:00 UTC"],
    ...["Run time: 1 min 5 s", "Model: demo/echo", "Cost: $0.50", "Tokens: 12,345 in, 6 out"],
  ]);
  const bare = factsOf(create(RecordedRunSchema, { agentName: "Lou", status: "completed" }));
  assert.equal(bare.length, 2);
});
