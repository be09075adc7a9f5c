import { type AgentWork, cancelThread, type ThreadState, withdrawThread } from "../../api/threads.ts";
import type { AddCommand } from "../../invocation.ts";
import { findWork } from "../../workforce/find-work.ts";

export const cancelWorkforce: AddCommand = (group, act) => {
  group
    .command("cancel")
    .description("Cancel a thread that runs, or withdraw one that waits in the queue.")
    .argument("<agent>", "Name, slug or id of the agent")
    .argument("<thread>", "Id of the thread")
    .action(
      act(async (invocation) => {
        const { args, out } = invocation;
        const [name = "", threadId = ""] = args;
        const state = await cancel(await findWork(invocation, name), threadId);
        if (out.json) out.document(state);
        else out.line(`${state.threadId} ${state.status}`);
      }),
    );
};

async function cancel(agent: AgentWork, threadId: string): Promise<ThreadState> {
  const state = await cancelThread(agent, threadId);
  if (state.status !== "queued") return state;
  const withdrawn = await withdrawThread(agent, threadId);
  // It may have begun to run between the two.
  return withdrawn.status === "cancelled" ? withdrawn : cancelThread(agent, threadId);
}
