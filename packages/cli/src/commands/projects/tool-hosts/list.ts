import { listToolHosts as fetchHosts } from "../../../api/tool-hosts.ts";
import type { AddCommand } from "../../../invocation.ts";
import { showTable } from "../../../show-table.ts";

const columns = [{ heading: "HOST" }, { heading: "RESULTS" }, { heading: "SECRET ENDS WITH" }];

export const listToolHosts: AddCommand = (group, act) => {
  group
    .command("list")
    .description("List the hosts of the project's HTTP tools.")
    .action(
      act(async ({ out, api }) => {
        const toolHosts = await fetchHosts(api());
        if (out.json) out.document({ toolHosts });
        else {
          const rows = toolHosts.map(({ host, untrusted, lastFour }) => [
            ...[host, untrusted ? "untrusted" : "trusted", lastFour ?? "no secret"],
          ]);
          showTable(out, columns, rows);
        }
      }),
    );
};
