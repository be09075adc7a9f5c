import { create } from "@bufbuild/protobuf";
import { ListThreadsResponseSchema } from "@muster/proto/workforce";
import { agentOf } from "../input/caller.ts";
import { pageOf, readPage } from "../input/pages.ts";
import { unknownAgent } from "../store/refusals.ts";
import { showSummary } from "../views/thread-view.ts";
import type { Handler } from "./handler.ts";

export const listThreads: Handler<"listThreads"> = async (context, request, call) => {
  const agent = agentOf(call, request.agentId);
  const { size, before } = readPage(request);
  const found = await context.threads.list(agent, size + 1, before);
  // A list of the threads of an agent that does not exist would look empty.
  if (found.length === 0 && (await context.agents.find(agent)) === null) throw unknownAgent();
  const { items, nextCursor } = pageOf(found, size);
  return create(ListThreadsResponseSchema, { threads: items.map(showSummary), nextCursor });
};
