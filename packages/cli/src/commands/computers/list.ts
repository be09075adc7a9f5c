import { listComputers as fetchComputers } from "../../api/computers.ts";
import type { AddCommand } from "../../invocation.ts";
import { showTable } from "../../show-table.ts";

const columns = [
  { heading: "ID" },
  { heading: "NAME", shrinks: true },
  { heading: "KIND" },
  { heading: "OS" },
  { heading: "STATE" },
  { heading: "LAST CONNECTED", isTime: true },
];

export const listComputers: AddCommand = (group, act) => {
  group
    .command("list")
    .description("List the computers that dial in, with their state.")
    .action(
      act(async ({ out, api }) => {
        const computers = await fetchComputers(api());
        if (out.json) out.document({ computers: computers.map(({ document }) => document) });
        else {
          const rows = computers.map(({ id, name, kind, os, state, lastSeenAt }) => [
            ...[id, name, kind, os, state, lastSeenAt ?? "never"],
          ]);
          showTable(out, columns, rows);
        }
      }),
    );
};
