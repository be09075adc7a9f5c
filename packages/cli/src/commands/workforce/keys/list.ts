import { listAgentKeys } from "../../../api/workforce.ts";
import type { AddCommand } from "../../../invocation.ts";
import { showTable } from "../../../show-table.ts";
import { findHiredAgent } from "../../../workforce/find-hired-agent.ts";

const columns = [
  { heading: "ID" },
  { heading: "NAME", shrinks: true },
  { heading: "CREATED", isTime: true },
  { heading: "EXPIRES", isTime: true },
  { heading: "LAST USED", isTime: true, isOptional: true },
];

export const listWorkforceKeys: AddCommand = (group, act) => {
  group
    .command("list")
    .description("List the keys of a workforce agent, without their secrets.")
    .argument("<agent>", "Name, slug or id of the agent")
    .action(
      act(async ({ args, out, api: connect }) => {
        const api = connect();
        const { id } = await findHiredAgent(api, args[0] ?? "");
        const keys = await listAgentKeys(api, id);
        if (out.json) out.document({ keys });
        else {
          const rows = keys.map(({ id, name, createdAt, expiresAt, lastUsedAt }) => [
            ...[id, name, createdAt, expiresAt ?? "never", lastUsedAt ?? "never"],
          ]);
          showTable(out, columns, rows);
        }
      }),
    );
};
