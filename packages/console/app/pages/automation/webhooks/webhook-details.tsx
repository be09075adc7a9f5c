import type { RotatedSecret, Webhook, WebhookDelivery } from "@muster/client";
import { useState } from "react";
import { muster, refresh, route } from "../../../api.ts";
import { Button } from "../../../parts/button.tsx";
import { Confirm } from "../../../parts/confirm.tsx";
import { Command } from "../../../parts/copy.tsx";
import { ifUnchanged } from "../../../parts/edited.tsx";
import { Failure } from "../../../parts/failure.tsx";
import { ItemPanel } from "../../../parts/item-panel.tsx";
import { Facts } from "../../../parts/page.tsx";
import { Secret } from "../../../parts/secret.tsx";
import { Status } from "../../../parts/status.tsx";
import { useAgentNames } from "../../../parts/use-agents.ts";
import { When } from "../../../parts/when.tsx";
import { Managed, PausedReason } from "../managed.tsx";
import { useActions } from "../use-actions.ts";
import { EditWebhook } from "./edit-webhook.tsx";
import { WebhookDeliveries } from "./webhook-deliveries.tsx";

const address = "/api/admin/webhooks";

export function webhookState({ enabled, pausedReason }: Webhook): string {
  return enabled && pausedReason === null ? "active" : "paused";
}

export function WebhookDetails({ webhookId, onClose }: { webhookId: string; onClose: () => void }) {
  const path = route`/api/admin/webhooks/${webhookId}`;
  return (
    <ItemPanel<Webhook, Webhook>
      path={path}
      find={(item) => item}
      kind="webhook"
      titleOf={({ slug }) => slug}
      onClose={onClose}
    >
      {(webhook) => <Details webhook={webhook} path={path} onClose={onClose} />}
    </ItemPanel>
  );
}

function Details({ webhook, path, onClose }: { webhook: Webhook; path: string; onClose: () => void }) {
  const [isEditing, setEditing] = useState(false);
  const [rotated, setRotated] = useState<RotatedSecret>();
  const [tested, setTested] = useState<WebhookDelivery>();
  const nameOf = useAgentNames();
  const { run, error, isBusy } = useActions(address);
  const { url, events, agentId, description, pausedReason, slug } = webhook;
  const state = webhookState(webhook);
  const change = (enabled: boolean) =>
    run(() => muster.request("PATCH", path, { headers: ifUnchanged(webhook), body: { enabled } }));
  const test = () => run(async () => setTested(await muster.request("POST", `${path}/test`)));
  const rotate = () => run(async () => setRotated(await muster.request("POST", `${path}/rotate`)));
  const remove = async () => {
    await muster.request("DELETE", path, { headers: ifUnchanged(webhook) });
    onClose();
    await refresh(address);
  };
  if (isEditing) return <EditWebhook webhook={webhook} path={path} onClose={() => setEditing(false)} />;
  return (
    <>
      {webhook.managed && <Managed />}
      {pausedReason !== null && <PausedReason reason={pausedReason} />}
      <Command text={url} />
      <Facts
        rows={[
          ["State", <Status key="state" state={state} />],
          ...(description === null ? [] : [["Note", description] as const]),
          ["Events", events.join(", ")],
          ["Agent", agentId === null ? "any" : nameOf(agentId)],
          ["Changed", <When key="changed" at={webhook.updatedAt} />],
        ]}
      />
      <Failure error={error} />
      {tested !== undefined && <Tested delivery={tested} />}
      {rotated !== undefined && (
        <>
          <Secret text={rotated.secret} name="the new secret" />
          {rotated.earlierUntil !== null && (
            <p className="text-table text-muted">
              The earlier secret also signs events, and ends <When at={rotated.earlierUntil} />.
            </p>
          )}
        </>
      )}
      <div className="flex flex-wrap gap-2">
        <Button disabled={isBusy} onClick={test}>
          Send a test
        </Button>
        <Button disabled={isBusy} onClick={() => change(state === "paused")}>
          {state === "paused" ? "Resume" : "Pause"}
        </Button>
        <Button disabled={isBusy} onClick={rotate}>
          Rotate the secret
        </Button>
        <Button onClick={() => setEditing(true)}>Edit</Button>
        <Confirm label="Delete" title={`Delete ${slug}?`} name={slug} onConfirm={remove}>
          It receives no more events, and its deliveries are lost.
        </Confirm>
      </div>
      <WebhookDeliveries path={`${path}/deliveries`} isPaused={state === "paused"} />
    </>
  );
}

function Tested({ delivery: { status, attempts } }: { delivery: WebhookDelivery }) {
  const last = attempts.at(-1);
  return (
    <p role="status" className="rounded-card border border-line bg-raised px-3 py-2 text-table">
      The test was {status === "delivered" ? "accepted" : "not accepted"}
      {last && ` in ${last.latencyMs} ms`}.{last?.problem && ` ${last.problem}`}
    </p>
  );
}
