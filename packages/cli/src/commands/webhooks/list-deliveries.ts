import { listDeliveries as fetchDeliveries } from "../../api/webhooks.ts";
import type { AddCommand } from "../../invocation.ts";
import { showTable } from "../../show-table.ts";

const columns = [
  { heading: "ID" },
  { heading: "EVENT" },
  { heading: "STATUS" },
  { heading: "ATTEMPTS" },
  { heading: "LAST ANSWER", shrinks: true },
  { heading: "NEXT", isTime: true, isOptional: true },
  { heading: "CREATED", isTime: true, isOptional: true },
];

export const listDeliveries: AddCommand = (group, act) => {
  group
    .command("deliveries")
    .description("List the latest deliveries of a webhook.")
    .argument("<id>", "Id of the webhook")
    .option("--status <status>", "Only pending, delivered or failed ones")
    .option("--limit <number>", "How many, up to 100 (default: 50)")
    .action(
      act(async ({ args, out, options, api }) => {
        const [status, limit] = [options.text("status"), options.text("limit")];
        const query = { ...(status !== undefined && { status }), ...(limit !== undefined && { limit }) };
        const deliveries = await fetchDeliveries(api(), args[0] ?? "", query);
        if (out.json) {
          out.document({ deliveries });
          return;
        }
        const rows = deliveries.map(({ id, type, attempts, attemptCount, nextAttemptAt, ...delivery }) => {
          const last = attempts.at(-1);
          const answer = last?.problem ?? (last?.status ? `HTTP ${last.status}` : "");
          return [
            ...[id, type, delivery.status, String(attemptCount), answer],
            ...[nextAttemptAt ?? "", delivery.createdAt],
          ];
        });
        showTable(out, columns, rows);
      }),
    );
};
