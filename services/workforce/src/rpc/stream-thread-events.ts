import type { HandlerContext } from "@connectrpc/connect";
import type { StreamThreadEventsRequest, StreamThreadEventsResponse } from "@muster/proto/workforce";
import type { WorkforceContext } from "../context.ts";
import { type FollowedThread, followEvents } from "../events/follow-events.ts";
import { agentOf } from "../input/caller.ts";
import { threadKey } from "../input/thread-key.ts";
import { unknownThread } from "../store/refusals.ts";
import { openWait, type ThreadKey } from "../store/thread-document.ts";
import { isOver } from "../store/thread-recording.ts";
import type { ThreadState } from "../store/thread-store.ts";
import { isFinal } from "../store/thread-transitions.ts";

/** Follows the events of a thread. Refusals are thrown before the first message. */
export async function* streamThreadEvents(
  context: WorkforceContext,
  request: StreamThreadEventsRequest,
  call: HandlerContext,
): AsyncGenerator<StreamThreadEventsResponse, void, undefined> {
  const key = threadKey(agentOf(call, request.agentId), request.threadId);
  if ((await findThread(context, key)) === undefined) throw unknownThread();
  const sources = {
    store: context.threadEvents,
    logs: context.threadLogs,
    clock: context.clock,
    newWriter: () => context.newId("evt"),
    timings: context.threadLogs.timings,
    findThread: () => findThread(context, key),
    whenChanged: (timeoutMs: number, signal: AbortSignal) => whenChanged(context, key, timeoutMs, signal),
  };
  const place = { projectId: key.projectId, threadId: key.threadId, after: request.afterSequence };
  for await (const { events, lastSequence = 0 } of followEvents(sources, place, call.signal)) {
    yield { $typeName: "muster.workforce.v1.StreamThreadEventsResponse", events, lastSequence };
  }
}

async function findThread(
  { threads, agents }: Pick<WorkforceContext, "threads" | "agents">,
  key: ThreadKey,
): Promise<FollowedThread | undefined> {
  const thread = await threads.findState(key);
  if (!thread?.accepted) return undefined;
  const { status, runId } = thread;
  // A run that has ended may still have to write its last events.
  const isDriven = runId !== null && (await agents.findAny(key))?.current?.runId === runId;
  return {
    ...{ status, waitingFor: openWait(thread), isDriven },
    ...{ isFinal: isFinal(status), isOver: isOver(thread), endedAtMs: endedAtMs(thread) },
  };
}

/** When the run, or its recording, became final. Null: unknown. */
function endedAtMs({ completedAt, recording }: ThreadState): number | null {
  if (completedAt === null) return null;
  return Math.max(completedAt.getTime(), recording?.endedAt?.getTime() ?? 0);
}

function whenChanged(
  { wakeUps }: Pick<WorkforceContext, "wakeUps">,
  { threadId }: ThreadKey,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      stopListening();
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, timeoutMs);
    const stopListening = wakeUps.onThread(threadId, done);
    signal.addEventListener("abort", done);
    if (signal.aborted) done();
  });
}
