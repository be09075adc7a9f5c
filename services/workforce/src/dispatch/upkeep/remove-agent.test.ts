import assert from "node:assert/strict";
import { test } from "vitest";
import { anAgent, aThread } from "../../../test/support/documents.ts";
import type { WorkforceContext } from "../../context.ts";
import type { ThreadDocument } from "../../store/thread-document.ts";
import { removeAgent } from "./remove-agent.ts";

test("the threads of a deleted agent stay until their events are stored for webhooks", async () => {
  const notice = { id: "evt_1", type: "thread.cancelled", at: new Date(0), data: {} } as const;
  const found: ThreadDocument[] = [aThread({ outbox: [notice] })];
  const done: string[] = [];
  const note = (name: string) => async () => void done.push(name);
  const context = {
    services: {
      auth: { listApiKeys: async () => ({ apiKeys: [] }) },
      sessions: { clearSession: note("conversation") },
    },
    callFor: () => ({}),
    notices: { wake: () => done.push("wake") },
    threads: { ofAgent: async () => [...found], delete: note("thread") },
    threadEvents: { remove: note("events") },
    recordings: { ofThread: async () => [] },
    computers: { remove: note("computer") },
    runs: { deleteOf: note("runs") },
    hooks: { deleteOf: async () => undefined },
    hookDeliveries: { deleteOf: async () => undefined },
    schedules: { deleteOf: async () => undefined },
    scheduleRuns: { deleteOf: async () => undefined },
    agents: { strip: note("agent") },
  };
  // Only the parts that the function uses.
  const used = context as unknown as WorkforceContext;
  await removeAgent(used, anAgent());
  assert.deepEqual(done.splice(0), ["wake"]);
  found.splice(0, 1, aThread({ outbox: [] }));
  await removeAgent(used, anAgent());
  assert.deepEqual(done, ["conversation", "events", "thread", "computer", "runs", "agent"]);
});
