import { updateHiredAgent } from "../../api/workforce.ts";
import type { AddCommand, Handler } from "../../invocation.ts";
import { findHiredAgent } from "../../workforce/find-hired-agent.ts";

export const pauseAgent: AddCommand = (group, act) => {
  group
    .command("pause")
    .description("Pause a workforce agent: its current run finishes, and no other starts.")
    .argument("<agent>", "Name, slug or id of the agent")
    .action(act(setPaused(true)));
};

export const resumeAgent: AddCommand = (group, act) => {
  group
    .command("resume")
    .description("Resume a paused workforce agent.")
    .argument("<agent>", "Name, slug or id of the agent")
    .action(act(setPaused(false)));
};

function setPaused(paused: boolean): Handler {
  return async ({ args, out, api: connect }) => {
    const api = connect();
    const { id } = await findHiredAgent(api, args[0] ?? "");
    const agent = await updateHiredAgent(api, id, { paused });
    if (out.json) out.document(agent.document);
    else out.line(`${agent.name} ${paused ? "is paused" : "works again"}.`);
  };
}
