import assert from "node:assert/strict";
import { ThreadSchema } from "@muster/proto/workforce";
import { test } from "vitest";
import { aThread } from "../../test/support/documents.ts";
import { showThread } from "./thread-view.ts";

test("a thread in which everything has happened is shown with every field of the message", () => {
  const at = new Date(0);
  const thread = aThread({
    waitingFor: { since: at, approvalIds: ["apr_1"], lookAt: at },
    failureReason: "The limit.",
    failureType: "limit",
    startedAt: at,
    completedAt: at,
    provenance: { deployments: [], definition: null, computer: null },
    recording: { id: "rec_1", status: "ready" },
    origin: { kind: "schedule", id: "sch_1" },
  });
  const tokens = { inputTokens: 1n, outputTokens: 1n, totalTokens: 2n };
  const usage = { currency: "USD", costUsd: "0.1", totalFeeUsd: "0.1", byok: false, ...tokens };
  const shown = showThread(thread, { messagesJson: "[]", usage });
  const fields = ThreadSchema.fields.map(({ localName }) => localName);
  assert.deepEqual(Object.keys(shown).toSorted(), fields.toSorted());
});
