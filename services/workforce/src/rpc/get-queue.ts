import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { GetQueueResponseSchema } from "@muster/proto/workforce";
import { keyOfAgent } from "../store/agent-document.ts";
import { holderOf, occupationOf } from "../views/occupied.ts";
import type { Handler } from "./handler.ts";
import { managedAgent } from "./managed-agent.ts";

export const getQueue: Handler<"getQueue"> = async (context, request, call) => {
  const agent = await managedAgent(context, request.agentId, call);
  const { currentThreadId, waiting } = holderOf(agent, await occupationOf(context, agent));
  const times = await context.threads.createTimes(keyOfAgent(agent), waiting);
  // A thread that is missing was refused a moment ago.
  const known = waiting.flatMap((threadId) => {
    const createdAt = times.get(threadId);
    return createdAt === undefined ? [] : [{ threadId, createdAt: timestampFromDate(createdAt) }];
  });
  return create(GetQueueResponseSchema, {
    ...(currentThreadId !== undefined && { currentThreadId }),
    queued: known.map((thread, index) => ({ ...thread, position: index + 1 })),
  });
};
