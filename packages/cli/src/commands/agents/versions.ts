import { listVersions } from "../../api/agents.ts";
import type { AddCommand } from "../../invocation.ts";
import { showTable } from "../../show-table.ts";

export const versions: AddCommand = (group, act) => {
  group
    .command("versions")
    .description("List the versions of an agent, newest first.")
    .argument("<slug>", "Slug or id of the agent")
    .action(
      act(async ({ args, out, api }) => {
        const found = await listVersions(api(), args[0] ?? "");
        if (out.json) out.document({ versions: found });
        else {
          const rows = found.map(({ version, createdAt, changes }) => [
            ...[String(version), createdAt],
            changes.join(", "),
          ]);
          showTable(
            out,
            [
              { heading: "VERSION" },
              { heading: "CREATED", isTime: true },
              { heading: "CHANGES", shrinks: true },
            ],
            rows,
          );
        }
      }),
    );
};
