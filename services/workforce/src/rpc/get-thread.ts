import { create } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import {
  type GetThreadRequest,
  type GetThreadResponse,
  GetThreadResponseSchema,
} from "@muster/proto/workforce";
import { Issues } from "@muster/rpc";
import type { WorkforceContext } from "../context.ts";
import { unknownThread } from "../dispatch/refusals.ts";
import { agentOf } from "../input/callers.ts";
import { threadKey } from "../input/thread-key.ts";
import { readConversation } from "../reading/conversation.ts";
import { showThread, tagOf } from "../reading/thread-view.ts";
import type { ThreadKey } from "../store/thread-document.ts";
import type { ThreadState } from "../store/thread-store.ts";
import { isFinal } from "../threads/transitions.ts";
import type { Handler } from "./handler.ts";

const maxWaitSeconds = 30;

export const getThread: Handler<GetThreadRequest, GetThreadResponse> = async (context, request, call) => {
  const key = threadKey(agentOf(call, request.agentId), request.threadId);
  const { waitSeconds, knownTag } = request;
  const issues = new Issues();
  if (waitSeconds > maxWaitSeconds) issues.add("wait", `must be a number from 0 to ${maxWaitSeconds}`);
  issues.refuse();
  if (waitSeconds > 0 || knownTag !== undefined) {
    const state = await context.threads.findState(key);
    if (!state?.accepted) throw unknownThread();
    const isNew = knownTag !== undefined && knownTag !== tagOf(state);
    if (!isNew && waitSeconds > 0 && !isFinal(state.status))
      await waitForChange(context, key, state, waitSeconds, call);
    else if (!isNew && knownTag !== undefined) return create(GetThreadResponseSchema, { tag: knownTag });
  }
  const thread = await context.threads.find(key);
  if (!thread?.accepted) throw unknownThread();
  const tag = tagOf(thread);
  if (tag === knownTag) return create(GetThreadResponseSchema, { tag });
  return create(GetThreadResponseSchema, {
    thread: showThread(thread, await readConversation(context, thread)),
    tag,
  });
};

/** Until the status or the number of messages changes. */
function waitForChange(
  { watch }: Pick<WorkforceContext, "watch">,
  key: ThreadKey,
  { status, messageCount }: ThreadState,
  seconds: number,
  { signal }: Pick<HandlerContext, "signal">,
): Promise<void> {
  const hasChanged = (now: ThreadState | null) =>
    now === null || now.status !== status || now.messageCount !== messageCount;
  return watch.wait(key, hasChanged, seconds * 1_000, signal);
}
