import { listPrebuilt } from "../../api/workforce.ts";
import type { AddCommand } from "../../invocation.ts";
import { showTable } from "../../show-table.ts";

const columns = [
  { heading: "SLUG" },
  { heading: "VERSION" },
  { heading: "NAME" },
  { heading: "DESCRIPTION", shrinks: true },
];

export const workforcePrebuilt: AddCommand = (group, act) => {
  group
    .command("prebuilt")
    .description("List the pre-built agents that can be hired.")
    .action(
      act(async ({ out, api }) => {
        const prebuilt = await listPrebuilt(api());
        if (out.json) out.document({ prebuilt });
        else {
          const rows = prebuilt.map(({ slug, version, name, description }) => [
            ...[slug, String(version), name, description],
          ]);
          showTable(out, columns, rows);
        }
      }),
    );
};
