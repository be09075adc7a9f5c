import { create } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { type GetThreadResponse, GetThreadResponseSchema } from "@muster/proto/workforce";
import { Issues } from "@muster/rpc";
import type { WorkforceContext } from "../context.ts";
import { agentOf } from "../input/caller.ts";
import { threadKey } from "../input/thread-key.ts";
import { unknownThread } from "../store/refusals.ts";
import { openWait, type ThreadKey } from "../store/thread-document.ts";
import { isOver, shownRecording } from "../store/thread-recording.ts";
import type { ThreadState } from "../store/thread-store.ts";
import { readConversation } from "../views/read-conversation.ts";
import type { ReadThread } from "../views/read-thread.ts";
import { showThread, tagOf } from "../views/thread-view.ts";
import type { IsEnough } from "../views/thread-watch.ts";
import type { Handler } from "./handler.ts";

const maxWaitSeconds = 30;

export const getThread: Handler<"getThread"> = async (context, request, call) => {
  const key = threadKey(agentOf(call, request.agentId), request.threadId);
  const { waitSeconds, knownTag, filesBaseUrl } = request;
  const issues = new Issues();
  if (waitSeconds > maxWaitSeconds) issues.add("wait", `must be a number from 0 to ${maxWaitSeconds}`);
  issues.refuse();
  if (waitSeconds === 0 && knownTag === undefined) return show(await read(context, key, filesBaseUrl));
  const state =
    waitSeconds > 0
      ? await waitForChange(context, key, knownTag, waitSeconds, call)
      : await context.threads.findState(key);
  if (!state?.accepted) throw unknownThread();
  const tag = tagOf(state);
  if (tag === knownTag) return create(GetThreadResponseSchema, { tag });
  // All callers that a change wakes ask at the same moment. Those that have seen this version may share a read of it.
  const version = `${key.threadId}:${tag}:${filesBaseUrl}`;
  return show(await context.sharedReads(version, () => read(context, key, filesBaseUrl)));
};

async function read(
  context: Pick<WorkforceContext, "threads" | "services" | "callFor">,
  key: ThreadKey,
  filesBaseUrl: string,
): Promise<ReadThread> {
  const thread = await context.threads.find(key);
  if (!thread?.accepted) throw unknownThread();
  return { thread, conversation: await readConversation(context, thread, filesBaseUrl) };
}

function show({ thread, conversation }: ReadThread): GetThreadResponse {
  return create(GetThreadResponseSchema, { thread: showThread(thread, conversation), tag: tagOf(thread) });
}

/**
 * Until the status, the number of messages or the recording changes; not at all if the thread and its recording are final, or
 * the thread is not the one that is known.
 */
function waitForChange(
  { watch }: Pick<WorkforceContext, "watch">,
  key: ThreadKey,
  knownTag: string | undefined,
  seconds: number,
  { signal }: Pick<HandlerContext, "signal">,
): Promise<ThreadState | null> {
  const isEnough: IsEnough = (first, now) => {
    if (!first?.accepted || now === null || isOver(first)) return true;
    if (knownTag !== undefined && knownTag !== tagOf(first)) return true;
    if (openWait(now)?.since.getTime() !== openWait(first)?.since.getTime()) return true;
    if (now.status !== first.status || now.messageCount !== first.messageCount) return true;
    return shownRecording(now)?.status !== shownRecording(first)?.status;
  };
  return watch.wait(key, isEnough, seconds * 1_000, signal);
}
