import { archiveAgent, getAgent } from "../../api/agents.ts";
import { confirm } from "../../confirm.ts";
import type { AddCommand } from "../../invocation.ts";

export const archive: AddCommand = (group, act) => {
  group
    .command("archive")
    .description("Archive an agent. Existing sessions keep running, and its slug becomes available again.")
    .argument("<slug>", "Slug or id of the agent")
    .option("--yes", "Skip the confirmation prompt")
    .action(
      act(async ({ args, io, out, options, api: connect }) => {
        const api = connect();
        const { id, definition } = await getAgent(api, args[0] ?? "");
        const { slug, name } = definition.settings;
        if (!options.flag("yes")) {
          await confirm(io, out, `Archive ${slug} (${name}) on ${api.url}? This cannot be undone.`, "--yes");
        }
        // By id, because the slug may belong to another agent by now.
        await archiveAgent(api, id);
        if (out.json) out.document({ id, slug, archived: true });
        else out.line(`Archived ${slug}.`);
      }),
    );
};
