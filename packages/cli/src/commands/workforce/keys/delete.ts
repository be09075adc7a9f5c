import { deleteAgentKey } from "../../../api/workforce.ts";
import { confirm } from "../../../confirm.ts";
import type { AddCommand } from "../../../invocation.ts";
import { findHiredAgent } from "../../../workforce/find-hired-agent.ts";

export const deleteWorkforceKey: AddCommand = (group, act) => {
  group
    .command("delete")
    .description("Delete a key of a workforce agent. It stops working at once.")
    .argument("<agent>", "Name, slug or id of the agent")
    .argument("<id>", "Id of the key, as shown by workforce keys list")
    .option("--yes", "Skip the confirmation prompt")
    .action(
      act(async ({ args, io, out, options, api: connect }) => {
        const [name = "", id = ""] = args;
        const api = connect();
        const agent = await findHiredAgent(api, name);
        const question = `Delete the key ${id} of ${agent.name} on ${api.url}?`;
        if (!options.flag("yes")) await confirm(io, out, question, "--yes");
        const deleted = await deleteAgentKey(api, agent.id, id);
        if (out.json) out.document(deleted);
        else out.line(`Deleted ${id}.`);
      }),
    );
};
