import { create } from "@bufbuild/protobuf";
import { WithdrawThreadResponseSchema } from "@muster/proto/workforce";
import { endThread } from "../dispatch/end-thread.ts";
import { agentOf } from "../input/caller.ts";
import { threadKey } from "../input/thread-key.ts";
import type { Handler } from "./handler.ts";

export const withdrawThread: Handler<"withdrawThread"> = async (context, request, call) => {
  const key = threadKey(agentOf(call, request.agentId), request.threadId);
  const { status } = await endThread(context, key, "withdraw");
  return create(WithdrawThreadResponseSchema, { status });
};
