import { examples } from "../../help.ts";
import type { AddCommand } from "../../invocation.ts";
import { withAgent } from "../../workforce/agent-access.ts";
import { watchThread } from "../../workforce/watch-thread.ts";

export const watchWork: AddCommand = (group, act) => {
  group
    .command("watch")
    .description("Show what a workforce agent does in a thread, from its beginning to its end.")
    .argument("<agent>", "Name or id of the agent")
    .argument("<thread>", "Id of the thread")
    .addHelpText("after", examples("muster workforce watch Lou thr_01m2k3"))
    .action(
      act((invocation) => {
        const [name = "", threadId = ""] = invocation.args;
        return withAgent(invocation, name, (agent) => watchThread(invocation, agent, threadId));
      }),
    );
};
