import type { CreateWebhookRequest, Webhook } from "@muster/client";
import { AgentField } from "../../../parts/agent-field.tsx";
import { Choices } from "../../../parts/choices.tsx";
import { TextField } from "../../../parts/field.tsx";
import { type At, textIn } from "../../../parts/form.tsx";

const events: Readonly<Record<CreateWebhookRequest["events"][number], string>> = {
  "thread.running": "a task has begun, or continues",
  "thread.waiting": "a task waits for a user or a service",
  "thread.completed": "a task was completed",
  "thread.failed": "a task has failed",
  "thread.cancelled": "a task was cancelled",
  "thread.blocked": "a limit has stopped a task",
  "recording.ready": "a video can be watched",
  "recording.failed": "a video could not be made",
  "approval.requested": "a call waits for a decision",
  "approval.decided": "a call was decided",
  "approval.expired": "no user decided in time",
  "session.expired": "a session has expired",
  "schedule.paused": "the platform has paused a schedule",
  "limit.warning": "80 % of a limit is used",
  "limit.reached": "a limit is used up",
};

/** The settings of a webhook. */
export function webhookFields(at: At, webhook?: Webhook) {
  return (
    <>
      <TextField
        label="URL of the receiver"
        type="url"
        autoComplete="off"
        placeholder="https://example.com/events"
        defaultValue={webhook?.url}
        {...at("url")}
      />
      <Choices
        label="Events"
        choices={Object.entries(events).map(([value, hint]) => ({ value, hint }))}
        chosen={webhook?.events ?? ["thread.completed", "thread.failed", "approval.requested"]}
        {...at("events")}
      />
      <AgentField
        hint="The only agent whose events are sent."
        chosen={webhook?.agentId ?? ""}
        {...at("agentId")}
      />
      <TextField
        label="Note"
        hint="For users. Optional."
        autoComplete="off"
        defaultValue={webhook?.description ?? ""}
        {...at("description")}
      />
    </>
  );
}

/** The settings in a form. */
export function webhookIn(values: FormData) {
  return {
    url: textIn(values, "url") ?? "",
    events: values.getAll("events").map(String),
    agentId: textIn(values, "agentId") ?? null,
    description: textIn(values, "description") ?? null,
  };
}
