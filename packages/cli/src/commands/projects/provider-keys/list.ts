import { listProviderKeys as fetchKeys } from "../../../api/provider-keys.ts";
import type { AddCommand } from "../../../invocation.ts";
import { showTable } from "../../../show-table.ts";

const columns = [
  { heading: "PROVIDER" },
  { heading: "ENDS WITH" },
  { heading: "CREATED", isTime: true },
  { heading: "UPDATED", isTime: true },
];

export const listProviderKeys: AddCommand = (group, act) => {
  group
    .command("list")
    .description("List the providers for which the project has its own key.")
    .action(
      act(async ({ out, api }) => {
        const providerKeys = await fetchKeys(api());
        if (out.json) out.document({ providerKeys });
        else {
          const rows = providerKeys.map(({ provider, lastFour, createdAt, updatedAt }) => [
            ...[provider, lastFour ?? "not shown", createdAt, updatedAt],
          ]);
          showTable(out, columns, rows);
        }
      }),
    );
};
