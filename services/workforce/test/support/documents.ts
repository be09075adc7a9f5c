import type { AgentDocument } from "../../src/store/agent-document.ts";
import type { ScheduleDocument } from "../../src/store/schedule-document.ts";
import type { StoredMessage, ThreadDocument } from "../../src/store/thread-document.ts";

const at = new Date("2026-11-22T10:00:00Z");

export const projectId = "prj_test";

/** An idle agent. */
export function anAgent(changed: Partial<AgentDocument> = {}): AgentDocument {
  return {
    _id: "agt_lou",
    projectId,
    name: "Lou",
    definition: { agentId: "agt_definition", version: 1 },
    trigger: { name: "user-message", input: "TASK" },
    declared: {},
    base: { model: "demo/echo" },
    input: "{}",
    computer: { kind: "sandbox", os: "linux" },
    paused: false,
    rev: 0,
    queue: [],
    current: null,
    lease: null,
    epoch: 0,
    settings: {},
    capabilities: {},
    limits: {},
    createdAt: at,
    ...changed,
  };
}

export function aMessage(id = "msg_1", text = "Go"): StoredMessage {
  return { id, text, files: [], at };
}

/** A thread as it is inserted: the agent's queue has not taken it yet. */
export function aThread(changed: Partial<ThreadDocument> = {}): ThreadDocument {
  return {
    _id: "thr_1",
    agentId: "agt_lou",
    projectId,
    sessionId: "ses_1",
    status: "queued",
    accepted: false,
    offer: null,
    openSince: at,
    title: "Go",
    config: {},
    definitionVersion: 1,
    runId: null,
    epoch: 0,
    turn: 0,
    message: null,
    inbox: [aMessage()],
    followUpKeys: [],
    rev: 0,
    messageCount: 1,
    failureReason: null,
    failureType: null,
    startedAt: null,
    completedAt: null,
    closed: false,
    provenance: null,
    request: null,
    takeOvers: 0,
    createdAt: at,
    ...changed,
  };
}

/** Runs every minute. */
export function aSchedule(changed: Partial<ScheduleDocument> = {}): ScheduleDocument {
  return {
    _id: "sch_1",
    projectId,
    agentId: "agt_lou",
    name: "Look",
    slug: changed._id?.replace("_", "-") ?? "look",
    cron: "* * * * *",
    timezone: "UTC",
    message: "Look around",
    config: {},
    overlap: "queue",
    misfire: "skip",
    jitterMs: 0,
    enabled: true,
    countsFrom: at,
    createdAt: at,
    updatedAt: at,
    ...changed,
  };
}
