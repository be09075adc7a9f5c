import type { Hook } from "@muster/client";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { muster, refresh, route } from "../../../api.ts";
import { Button } from "../../../parts/button.tsx";
import { Confirm } from "../../../parts/confirm.tsx";
import { Command } from "../../../parts/copy.tsx";
import { ifUnchanged } from "../../../parts/edited.tsx";
import { Failure } from "../../../parts/failure.tsx";
import { ItemPanel } from "../../../parts/item-panel.tsx";
import { Json } from "../../../parts/json.tsx";
import { Facts, Section } from "../../../parts/page.tsx";
import { Status } from "../../../parts/status.tsx";
import { useAgentNames } from "../../../parts/use-agents.ts";
import { When } from "../../../parts/when.tsx";
import { Managed } from "../managed.tsx";
import { hiredAgents } from "../read-of-agents.ts";
import { useActions } from "../use-actions.ts";
import { EditHook } from "./edit-hook.tsx";
import { HookDeliveries } from "./hook-deliveries.tsx";

export function hookState({ enabled }: Hook): string {
  return enabled ? "active" : "paused";
}

interface Props {
  agentId: string;
  hookId: string;
  onClose: () => void;
}

export function HookDetails({ agentId, hookId, onClose }: Props) {
  const path = route`/api/admin/workforce/agents/${agentId}/hooks/${hookId}`;
  return (
    <ItemPanel<Hook, Hook>
      path={path}
      find={(item) => item}
      kind="hook"
      titleOf={({ name }) => name}
      onClose={onClose}
    >
      {(hook) => <Details hook={hook} path={path} onClose={onClose} />}
    </ItemPanel>
  );
}

function Details({ hook, path, onClose }: { hook: Hook; path: string; onClose: () => void }) {
  const [isEditing, setEditing] = useState(false);
  const nameOf = useAgentNames();
  const { run, error, isBusy } = useActions(hiredAgents);
  const { agentId, name, enabled, verify, message, threadKey, filter } = hook;
  const toggle = () =>
    run(() => muster.request("PATCH", path, { headers: ifUnchanged(hook), body: { enabled: !enabled } }));
  const remove = async () => {
    await muster.request("DELETE", path, { headers: ifUnchanged(hook) });
    onClose();
    await refresh(hiredAgents);
  };
  if (isEditing) return <EditHook hook={hook} path={path} onClose={() => setEditing(false)} />;
  return (
    <>
      {hook.managed && <Managed />}
      <Command text={`${location.origin}${hook.url}`} />
      <Facts
        rows={[
          ["State", <Status key="state" state={hookState(hook)} />],
          [
            "Agent",
            <Link key="agent" to={`/workforce/${agentId}`} className="text-accent underline">
              {nameOf(agentId)}
            </Link>,
          ],
          ["Signed as", verify.type],
          ...(verify.earlierUntil === null
            ? []
            : [["Earlier secret ends", <When key="earlier" at={verify.earlierUntil} />] as const]),
          [
            "Message",
            <span key="message" className="whitespace-pre-wrap">
              {message}
            </span>,
          ],
          ["Thread", threadKey ?? "one per delivery"],
        ]}
      />
      {filter !== null && (
        <Section title="Filter">
          <Json value={filter} label="the filter" />
        </Section>
      )}
      <Failure error={error} />
      <div className="flex flex-wrap gap-2">
        <Button disabled={isBusy} onClick={toggle}>
          {enabled ? "Pause" : "Resume"}
        </Button>
        <Button onClick={() => setEditing(true)}>Edit</Button>
        <Confirm label="Delete" title={`Delete ${name}?`} name={hook.slug} onConfirm={remove}>
          Its address then answers 404, and its deliveries are lost. The threads that it has started remain.
        </Confirm>
      </div>
      <HookDeliveries path={`${path}/deliveries`} agentId={agentId} />
    </>
  );
}
