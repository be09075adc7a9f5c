import type { AgentKey } from "../store/agent-document.ts";
import { unknownThread } from "../store/refusals.ts";
import type { ThreadKey } from "../store/thread-document.ts";

const maxIdLength = 200;

/** Throws NOT_FOUND for a text that cannot be the id of a thread. */
export function threadKey(agent: AgentKey, threadId: string): ThreadKey {
  if (threadId === "" || threadId.length > maxIdLength || !threadId.isWellFormed()) throw unknownThread();
  return { ...agent, threadId };
}
