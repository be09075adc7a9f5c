import { listAgents } from "../../api/agents.ts";
import type { AddCommand } from "../../invocation.ts";
import { showTable } from "../../show-table.ts";

const columns = [
  { heading: "SLUG", shrinks: true },
  { heading: "NAME", shrinks: true },
  { heading: "FORMAT" },
  { heading: "UPDATED", isTime: true },
  { heading: "ID", isOptional: true },
];

export const list: AddCommand = (group, act) => {
  group
    .command("list")
    .description("List the agents in the project, newest first.")
    .action(
      act(async ({ out, api }) => {
        const agents = await listAgents(api());
        if (out.json) out.document({ agents });
        else if (agents.length === 0) {
          out.note("This project has no agents.");
          out.hint({ purpose: "To create one from a folder", args: "agents push <folder>" });
        } else {
          const rows = agents.map(({ slug, name, format, updatedAt, id }) => [
            slug,
            name,
            format,
            updatedAt,
            id,
          ]);
          showTable(out, columns, rows);
        }
      }),
    );
};
