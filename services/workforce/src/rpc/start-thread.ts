import { create } from "@bufbuild/protobuf";
import { StartThreadResponseSchema } from "@muster/proto/workforce";
import { callerOf } from "@muster/rpc";
import { readStart } from "../dispatch/start-request.ts";
import { startThread as start } from "../dispatch/start-thread.ts";
import { agentOf } from "../input/caller.ts";
import type { Handler } from "./handler.ts";

export const startThread: Handler<"startThread"> = async (context, request, call) => {
  const agent = agentOf(call, request.agentId);
  const command = { ...(await readStart(context, request)), keyId: callerOf(call).keyId };
  const { thread, replayed } = await start(context, agent, command);
  return create(StartThreadResponseSchema, { threadId: thread._id, status: thread.status, replayed });
};
