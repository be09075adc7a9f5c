import type { Part } from "./installation.ts";

/** The actions of callers, as the table in docs/operations.md names them. */
export const operations = [
  "list agents",
  "change an agent",
  "open a session",
  "read a session",
  "run a turn",
  "ask for an upload",
  "mint a token",
  "dispatch a task",
] as const;

export type Operation = (typeof operations)[number];

const all = [...operations];

/**
 * The operations that return 503 while all instances of a part are gone, once cached credentials have expired.
 * Everything else works. The other parts recover by themselves when it is back.
 */
export const refusedWithout: Readonly<Record<Exclude<Part, "gateway">, readonly Operation[]>> = {
  "embedded-store": all,
  "nats-server": [],
  auth: all,
  agents: ["list agents", "change an agent", "open a session", "mint a token"],
  sessions: ["open a session", "read a session", "run a turn", "ask for an upload", "dispatch a task"],
  workforce: ["dispatch a task"],
  recorder: [],
};

/** Parts whose absence `GET /readyz` does not report. */
export const unreported: ReadonlySet<Part> = new Set(["recorder"]);
