import { create } from "@bufbuild/protobuf";
import { CancelThreadResponseSchema } from "@muster/proto/workforce";
import { endThread } from "../dispatch/end-thread.ts";
import { agentOf } from "../input/caller.ts";
import { threadKey } from "../input/thread-key.ts";
import type { Handler } from "./handler.ts";

export const cancelThread: Handler<"cancelThread"> = async (context, request, call) => {
  const key = threadKey(agentOf(call, request.agentId), request.threadId);
  const { status } = await endThread(context, key, "cancel");
  return create(CancelThreadResponseSchema, { status });
};
