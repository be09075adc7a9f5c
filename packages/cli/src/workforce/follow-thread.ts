import type { StreamEvent } from "../api/sessions.ts";
import { type AgentWork, getThread, isFinal, type Thread, threadEvents } from "../api/threads.ts";
import { isStatus } from "../http/api.ts";
import { Attempts, followEvents } from "../http/follow-events.ts";

const waitSeconds = 25;

interface Following {
  readonly agent: AgentWork;
  readonly threadId: string;
  /** The number of the last event to skip; 0 for none. */
  readonly after: number;
  /** Aborting stops the reading, which has no effect on the thread. */
  readonly signal: AbortSignal;
  readonly onEvent: (event: StreamEvent) => void;
}

/** Reads the events of a thread until it is final, over cut connections and restarts of the server. */
export async function followThread(following: Following): Promise<Thread> {
  const { agent, threadId, signal } = following;
  await readEvents(following);
  return retrying(signal, async () => {
    const thread = await getThread(agent, threadId, waitSeconds);
    return isFinal(thread.status) ? thread : undefined;
  });
}

/** The number of the last event of a thread that is final; 0 if its events are gone. */
export async function lastEventNumber(
  { agent, threadId }: Pick<Following, "agent" | "threadId">,
  signal: AbortSignal,
): Promise<number> {
  let last = 0;
  try {
    for await (const { number } of threadEvents(agent, threadId, 0, signal)) last = number ?? last;
  } catch (error) {
    if (!isStatus(error, 410)) throw error;
  }
  return last;
}

async function readEvents({ agent, threadId, after, signal, onEvent }: Following): Promise<void> {
  const open = (seen: number) => threadEvents(agent, threadId, seen, signal);
  try {
    for await (const { event } of followEvents(open, after, signal)) onEvent(event);
  } catch (error) {
    // The missing part is in the thread.
    if (!isStatus(error, 410)) throw error;
  }
}

/** Repeats until there is a result. A server that fails or cannot be reached gets another chance after a pause. */
export async function retrying<Result>(
  signal: AbortSignal,
  attempt: (progress: () => void) => Promise<Result | undefined>,
): Promise<Result> {
  const attempts = new Attempts(signal);
  for (;;) {
    try {
      const result = await attempt(() => attempts.progress());
      if (result !== undefined) return result;
    } catch (error) {
      await attempts.failed(error);
    }
  }
}
