import { cancelThread, type ThreadState, withdrawThread } from "../../api/threads.ts";
import type { AddCommand } from "../../invocation.ts";
import { type AgentAccess, withAgent } from "../../workforce/with-agent.ts";

export const cancelWorkforce: AddCommand = (group, act) => {
  group
    .command("cancel")
    .description("Cancel a thread that runs, or withdraw one that waits in the queue.")
    .argument("<agent>", "Name or id of the agent")
    .argument("<thread>", "Id of the thread")
    .action(
      act(async (invocation) => {
        const { args, out } = invocation;
        const [name = "", threadId = ""] = args;
        const state = await withAgent(invocation, name, (agent) => cancel(agent, threadId));
        if (out.json) out.document(state);
        else out.line(`${state.threadId} ${state.status}`);
      }),
    );
};

async function cancel(agent: AgentAccess, threadId: string): Promise<ThreadState> {
  const state = await cancelThread(await agent.api(), agent.agentId, threadId);
  if (state.status !== "queued") return state;
  const withdrawn = await withdrawThread(await agent.api(), agent.agentId, threadId);
  // It may have begun to run between the two.
  return withdrawn.status === "cancelled"
    ? withdrawn
    : cancelThread(await agent.api(), agent.agentId, threadId);
}
