import { slugsOf } from "../../api/agents.ts";
import { listKeys as fetchKeys } from "../../api/keys.ts";
import type { AddCommand } from "../../invocation.ts";
import { showTable } from "../../show-table.ts";

const columns = [
  { heading: "ID" },
  { heading: "NAME", shrinks: true },
  { heading: "PERMISSIONS", shrinks: true },
  { heading: "PROJECT", shrinks: true },
  { heading: "AGENT", isOptional: true },
  { heading: "EXPIRES", isTime: true },
  { heading: "LAST USED", isTime: true, isOptional: true },
];

export const listKeys: AddCommand = (group, act) => {
  group
    .command("list")
    .description("List API keys, without their secrets.")
    .action(
      act(async ({ out, api }) => {
        const client = api();
        const keys = await fetchKeys(client);
        if (out.json) out.document({ keys });
        else {
          const slugOf = await slugsOf(
            client,
            keys.map(({ agentId }) => agentId),
          );
          const rows = keys.map(
            ({ id, name, permissions, projectId, anyProject, agentId, expiresAt, lastUsedAt }) => [
              ...[id, name, permissions.join(","), anyProject ? "any" : projectId, slugOf(agentId ?? "any")],
              ...[expiresAt ?? "never", lastUsedAt ?? "never"],
            ],
          );
          showTable(out, columns, rows);
        }
      }),
    );
};
