import assert from "node:assert/strict";
import { create } from "@bufbuild/protobuf";
import { WorkforceRunSchema } from "@muster/proto/sessions";
import { Issues } from "@muster/rpc";
import { test } from "vitest";
import { readWorkforceRun } from "./read-workforce-run.ts";

test("the rules of approval of a run are among the settings of its turn, and absent if there are none", () => {
  const settingsOf = (approvals: Record<string, string>) =>
    readWorkforceRun(new Issues(), create(WorkforceRunSchema, { requestId: "r", approvals })).settings;
  assert.deepEqual(settingsOf({ refund: "ask", "*": "deny" }), { approvals: { refund: "ask", "*": "deny" } });
  assert.deepEqual(settingsOf({}), {});
});
