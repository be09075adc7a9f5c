import { listHookDeliveries as fetchDeliveries } from "../../api/hooks.ts";
import type { AddCommand } from "../../invocation.ts";
import { showTable } from "../../show-table.ts";
import { findHook } from "./find-hook.ts";

const columns = [
  { heading: "ID" },
  { heading: "STATUS" },
  { heading: "THREAD" },
  { heading: "REASON", shrinks: true },
  { heading: "BODY", shrinks: true },
  { heading: "CREATED", isTime: true, isOptional: true },
];

export const listHookDeliveries: AddCommand = (group, act) => {
  group
    .command("deliveries")
    .description("List the latest deliveries of a hook.")
    .argument("<agent>", "Name, slug or id of the agent")
    .argument("<hook>", "Slug or id of the hook")
    .option("--status <status>", "Only accepted, filtered, dispatched or failed ones")
    .option("--limit <number>", "How many, up to 100 (default: 50)")
    .action(
      act(async ({ args, out, options, api: connect }) => {
        const [status, limit] = [options.text("status"), options.text("limit")];
        const query = { ...(status !== undefined && { status }), ...(limit !== undefined && { limit }) };
        const api = connect();
        const { agentId, id } = await findHook(api, args);
        const deliveries = await fetchDeliveries(api, agentId, id, query);
        if (out.json) {
          out.document({ deliveries });
          return;
        }
        const rows = deliveries.map(({ threadId = "", reason = "", bodyStart, ...delivery }) => [
          ...[delivery.id, delivery.status, threadId, reason, bodyStart, delivery.createdAt],
        ]);
        showTable(out, columns, rows);
      }),
    );
};
