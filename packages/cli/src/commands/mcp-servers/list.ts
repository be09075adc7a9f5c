import { listMcpServers as fetchServers } from "../../api/mcp-servers.ts";
import type { AddCommand } from "../../invocation.ts";
import { showTable } from "../../show-table.ts";

const columns = [
  { heading: "SLUG" },
  { heading: "URL", shrinks: true },
  { heading: "AUTH" },
  { heading: "TOOLS", shrinks: true, isOptional: true },
  { heading: "ENABLED" },
  { heading: "ID", isOptional: true },
];

export const listMcpServers: AddCommand = (group, act) => {
  group
    .command("list")
    .description("List the MCP servers of the project.")
    .action(
      act(async ({ out, api }) => {
        const mcpServers = await fetchServers(api());
        if (out.json) out.document({ mcpServers });
        else {
          const rows = mcpServers.map(({ id, slug, url, auth, tools, enabled }) => [
            ...[slug, url, auth.type, tools?.join(", ") ?? "all", enabled ? "yes" : "no", id],
          ]);
          showTable(out, columns, rows);
        }
      }),
    );
};
