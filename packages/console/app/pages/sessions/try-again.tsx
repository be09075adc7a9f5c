import type { useSession } from "@muster/react";
import { Confirm } from "../../parts/confirm.tsx";
import type { Step } from "./step.ts";

interface Props {
  turn: Step | undefined;
  chat: ReturnType<typeof useSession>;
}

/** Goes back to where the turn began, and runs it with the same input. */
export function TryAgain({ turn, chat: { messages, status, send } }: Props) {
  const trigger = turn?.entries.find((entry) => entry.type === "trigger" && !entry.isContinuation);
  const added = turn?.entries.flatMap((entry) => (entry.type === "message" ? entry.messageId : [])) ?? [];
  if (turn === undefined || trigger?.type !== "trigger" || trigger.shortened === true) return null;
  const first = messages.findIndex(
    ({ id, createdAt }) => added.includes(id) || Date.parse(createdAt) >= turn.startMs,
  );
  const kept = first < 0 ? messages : messages.slice(0, first);
  const lost = messages.length - kept.length;
  if (status === "running" || status === "loading") return null;
  return (
    <Confirm
      label="Try again from here"
      title="Try again from here?"
      onConfirm={async () => {
        const input: Record<string, unknown> = { ...Object(trigger.input) };
        await send(input, { trigger: trigger.triggerName, rollbackAfterMessageId: kept.at(-1)?.id ?? null });
      }}
    >
      The session goes back to before this turn, and `{trigger.triggerName}` runs again with the same input.
      {lost > 0 && ` ${lost === 1 ? "One message" : `${lost} messages`} from here on will be removed.`} What
      tools did outside stays done.
    </Confirm>
  );
}
