import assert from "node:assert/strict";
import { Socket } from "node:net";
import { test } from "vitest";
import { callFor } from "./context.ts";

test("a request's call gets only the time that its authentication has left", () => {
  const principal = { projectId: "prj_1", keyId: "key_1", permissions: new Set<never>(), anyProject: false };
  const caller = { principal, signed: "signed", inProject: () => caller };
  const request = { id: "req_1", url: "/api/agents", caller, method: "GET", ip: "", socket: new Socket() };
  const timeoutMs = (waitedMs: number) =>
    callFor({ callTimeoutMs: 15_000 }, { ...request, waitedMs }).timeoutMs;
  assert.deepEqual([timeoutMs(0), timeoutMs(14_000)], [15_000, 1_000]);
  // Not 0, which would mean no deadline.
  assert.equal(timeoutMs(16_000), 1);
});
