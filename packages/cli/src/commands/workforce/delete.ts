import { deleteHiredAgent } from "../../api/workforce.ts";
import { confirm } from "../../confirm.ts";
import type { AddCommand } from "../../invocation.ts";
import { findHiredAgent } from "../../workforce/find-hired-agent.ts";

export const deleteWorkforce: AddCommand = (group, act) => {
  group
    .command("delete")
    .description("Delete a workforce agent with its threads, its files and its keys. Its work is cancelled.")
    .argument("<agent>", "Name, slug or id of the agent")
    .option("--yes", "Skip the confirmation prompt")
    .action(
      act(async ({ args, io, out, options, api: connect }) => {
        const api = connect();
        const { id, name } = await findHiredAgent(api, args[0] ?? "");
        const question = `Delete the workforce agent ${name} (${id}) with all of its work on ${api.url}?`;
        if (!options.flag("yes")) await confirm(io, out, question, "--yes");
        const deleted = await deleteHiredAgent(api, id);
        if (out.json) out.document(deleted);
        else out.line(`Deleted ${id}.`);
      }),
    );
};
