import { listWebhooks as fetchWebhooks, type Webhook } from "../../api/webhooks.ts";
import type { AddCommand } from "../../invocation.ts";
import { showTable } from "../../show-table.ts";

const columns = [
  { heading: "ID" },
  { heading: "URL", shrinks: true },
  { heading: "EVENTS", shrinks: true },
  { heading: "STATE" },
  { heading: "CREATED", isTime: true, isOptional: true },
];

export const listWebhooks: AddCommand = (group, act) => {
  group
    .command("list")
    .description("List the webhooks of the project.")
    .action(
      act(async ({ out, api }) => {
        const webhooks = await fetchWebhooks(api());
        if (out.json) {
          out.document({ webhooks });
          return;
        }
        const rows = webhooks.map((webhook) => {
          const { id, url, events, createdAt } = webhook;
          return [id, url, events.join(", "), stateOf(webhook), createdAt];
        });
        showTable(out, columns, rows);
        for (const { id, pausedReason } of webhooks) if (pausedReason) out.note(`${id}: ${pausedReason}`);
      }),
    );
};

export function stateOf({ enabled, pausedReason }: Pick<Webhook, "enabled" | "pausedReason">): string {
  if (!enabled) return "disabled";
  return pausedReason ? "paused" : "enabled";
}
