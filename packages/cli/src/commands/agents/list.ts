import { listAgents } from "../../api/agents.ts";
import { exitCodes } from "../../exit.ts";
import type { AddCommand } from "../../invocation.ts";
import { showTable } from "../../table.ts";

export const list: AddCommand = (group, act) => {
  group
    .command("list")
    .description("Lists the agents of the project, newest first.")
    .action(
      act(async ({ out, api }) => {
        const agents = await listAgents(api());
        if (out.json) out.document({ agents });
        else if (agents.length === 0)
          out.note("There are no agents yet. muster agents push creates one from a folder.");
        else {
          const rows = agents.map(({ slug, name, format, updatedAt, id }) => [
            slug,
            name,
            format,
            updatedAt,
            id,
          ]);
          showTable(out, ["SLUG", "NAME", "FORMAT", "UPDATED", "ID"], rows);
        }
        return exitCodes.fine;
      }),
    );
};
