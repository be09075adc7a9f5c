import { create } from "@bufbuild/protobuf";
import { ListThreadsResponseSchema } from "@muster/proto/workforce";
import { Issues, pageOf, readPage } from "@muster/rpc";
import { agentOf, managerOf } from "../input/caller.ts";
import { oneOf } from "../input/run-config.ts";
import { unknownAgent } from "../store/refusals.ts";
import { statuses, type ThreadStatus } from "../store/thread-transitions.ts";
import { showSummary } from "../views/thread-view.ts";
import type { Handler } from "./handler.ts";

export const listThreads: Handler<"listThreads"> = async (context, request, call) => {
  const { agentId, status } = request;
  const agent = agentId === "" ? { projectId: managerOf(call).projectId } : agentOf(call, agentId);
  const { size, before } = readPage(request);
  const filter = { ...agent, ...(status !== "" && { status: readStatus(status) }) };
  const found = await context.threads.list(filter, size + 1, before);
  // A list of the threads of an agent that does not exist would look empty.
  if (found.length === 0 && "agentId" in agent && (await context.agents.find(agent)) === null)
    throw unknownAgent(agent.agentId);
  const { items, nextCursor } = pageOf(found, size);
  return create(ListThreadsResponseSchema, { threads: items.map(showSummary), nextCursor });
};

function readStatus(text: string): ThreadStatus {
  const issues = new Issues();
  const status = oneOf(issues, "status", text, statuses);
  issues.refuse();
  return status;
}
