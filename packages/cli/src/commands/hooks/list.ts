import { listHooks as fetchHooks } from "../../api/hooks.ts";
import type { AddCommand } from "../../invocation.ts";
import { showTable } from "../../show-table.ts";
import { findHiredAgent } from "../../workforce/find-hired-agent.ts";

const columns = [
  { heading: "SLUG" },
  { heading: "NAME", shrinks: true },
  { heading: "VERIFY" },
  { heading: "STATE" },
  { heading: "PATH" },
  { heading: "CREATED", isTime: true, isOptional: true },
];

export const listHooks: AddCommand = (group, act) => {
  group
    .command("list")
    .description("List the hooks of a workforce agent.")
    .argument("<agent>", "Name, slug or id of the agent")
    .action(
      act(async ({ args, out, api: connect }) => {
        const api = connect();
        const agent = await findHiredAgent(api, args[0] ?? "");
        const hooks = await fetchHooks(api, agent.id);
        if (out.json) {
          out.document({ hooks });
          return;
        }
        const rows = hooks.map(({ slug, name, verify, enabled, url, createdAt }) => [
          ...[slug, name, verify.type, enabled ? "enabled" : "disabled", url, createdAt],
        ]);
        showTable(out, columns, rows);
      }),
    );
};
