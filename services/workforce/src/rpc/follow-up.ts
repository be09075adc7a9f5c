import { create } from "@bufbuild/protobuf";
import { FollowUpResponseSchema } from "@muster/proto/workforce";
import { callerOf } from "@muster/rpc";
import { followUp as follow } from "../dispatch/follow-up.ts";
import { readFollowUp } from "../dispatch/start-request.ts";
import { agentOf } from "../input/caller.ts";
import { threadKey } from "../input/thread-key.ts";
import type { Handler } from "./handler.ts";

export const followUp: Handler<"followUp"> = async (context, request, call) => {
  const key = threadKey(agentOf(call, request.agentId), request.threadId);
  const command = { ...(await readFollowUp(request)), keyId: callerOf(call).keyId };
  const { thread, replayed } = await follow(context, key, command);
  return create(FollowUpResponseSchema, { status: thread.status, replayed });
};
