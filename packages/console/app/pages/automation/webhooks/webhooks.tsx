import type { Webhook, WebhookList } from "@muster/client";
import { Plus } from "lucide-react";
import { useFilters } from "../../../frame/use-filters.ts";
import { Button } from "../../../parts/button.tsx";
import { Empty } from "../../../parts/empty.tsx";
import { List } from "../../../parts/list.tsx";
import { Split } from "../../../parts/split.tsx";
import { Status } from "../../../parts/status.tsx";
import { When } from "../../../parts/when.tsx";
import { CreateWebhook } from "./create-webhook.tsx";
import { WebhookDetails, webhookState } from "./webhook-details.tsx";

/** The webhooks of the project. */
export function Webhooks() {
  const [{ webhook }, setFilters] = useFilters("webhook");
  const close = () => setFilters({ webhook: undefined });
  return (
    <Split
      details={
        webhook === "new" ? (
          <CreateWebhook onClose={close} onDone={({ id }) => setFilters({ webhook: id })} />
        ) : (
          webhook !== undefined && <WebhookDetails key={webhook} webhookId={webhook} onClose={close} />
        )
      }
    >
      <div className="flex items-center gap-3">
        <p className="flex-1 text-muted">Your systems that receive events of this project.</p>
        <Button
          look="primary"
          icon={<Plus size={14} aria-hidden="true" />}
          onClick={() => setFilters({ webhook: "new" })}
        >
          New webhook
        </Button>
      </div>
      <List<WebhookList, Webhook>
        label="Webhooks"
        path="/api/admin/webhooks"
        rowsOf={({ webhooks }) => webhooks}
        keyOf={({ id }) => id}
        linkOf={({ id }) => ({ to: "/automation/webhooks", search: { webhook: id } })}
        columns={[
          { title: "Receiver", width: "minmax(0, 2fr)", cell: ({ url }) => url },
          {
            ...{ title: "State", width: "6rem" },
            cell: (row) => <Status state={webhookState(row)} />,
          },
          {
            ...{ title: "Events", width: "5rem", isNumber: true },
            cell: ({ events }) => events.length,
          },
          {
            title: "Changed",
            width: "7rem",
            isNumber: true,
            cell: ({ updatedAt }) => <When at={updatedAt} />,
          },
        ]}
        second={(row) => `${webhookState(row)} · ${row.events.join(", ")}`}
        empty={
          <Empty
            title="No webhook exists yet"
            reference="Webhooks"
            command="npx @muster/cli webhooks create https://ops.example.com/muster --event thread.completed"
          >
            A webhook tells your systems what happens: a task has ended, a decision is due, a limit is near.
          </Empty>
        }
      />
    </Split>
  );
}
