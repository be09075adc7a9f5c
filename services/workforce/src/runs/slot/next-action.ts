import { isHeld } from "@muster/store";
import type { AgentDocument } from "../../store/agent-document.ts";

/** The action that a process can take for an agent that it does not drive. */
export type Action =
  /** Begin the first thread of the queue. */
  | { type: "claim"; threadId: string }
  /** Continue the run of a process that has died, or release it. */
  | { type: "take-over" }
  /** Nothing will happen before a caller changes the agent. */
  | { type: "rest" }
  /** Another process drives it, or it is paused. */
  | { type: "wait" };

interface Instance {
  nowMs: number;
  /** Identifies this process if no other can exist: leases of others belong to dead ones. */
  onlyHolder: string | undefined;
}

export type SlotOfAgent = Pick<AgentDocument, "queue" | "current" | "lease" | "paused" | "deletedAt">;

/** Time only decides when to try: the agent's epoch decides who succeeds. */
export function nextAction(agent: SlotOfAgent, { nowMs, onlyHolder }: Instance): Action {
  const { queue, current, lease, paused, deletedAt } = agent;
  if (current !== null) {
    return { type: isHeld(lease, nowMs, onlyHolder) ? "wait" : "take-over" };
  }
  const threadId = queue[0];
  if (threadId === undefined) return { type: "rest" };
  return paused || deletedAt !== undefined ? { type: "wait" } : { type: "claim", threadId };
}
