import { listComputerTokens as fetchTokens } from "../../../api/computers.ts";
import type { AddCommand } from "../../../invocation.ts";
import { showTable } from "../../../show-table.ts";
import { computerIdOf } from "../../../workforce/computer-id-of.ts";

const columns = [
  { heading: "ID" },
  { heading: "NAME", shrinks: true },
  { heading: "CREATED", isTime: true },
  { heading: "EXPIRES", isTime: true },
  { heading: "LAST USED", isTime: true, isOptional: true },
];

export const listComputerTokens: AddCommand = (group, act) => {
  group
    .command("list")
    .description("List the tokens of a computer, without their secrets.")
    .argument("<computer>", "Id of a shared computer, or name, slug or id of an agent with one of its own")
    .action(
      act(async ({ args, out, api: connect }) => {
        const api = connect();
        const tokens = await fetchTokens(api, await computerIdOf(api, args[0] ?? ""));
        if (out.json) out.document({ tokens });
        else {
          const rows = tokens.map(({ id, name, createdAt, expiresAt, lastUsedAt }) => [
            ...[id, name, createdAt, expiresAt ?? "never", lastUsedAt ?? "never"],
          ]);
          showTable(out, columns, rows);
        }
      }),
    );
};
