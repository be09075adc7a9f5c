import type { TurnResult } from "@muster/proto/sessions";
import type { Execution } from "../driver/execution.ts";
import { shownId } from "../engine/conversation/messages.ts";
import { toUiMessages } from "../engine/shown/ui-messages.ts";

/** What a turn that has ended or paused has written, as users see it. */
export function turnResult({ machine }: Pick<Execution, "machine">): TurnResult {
  const { conversation, frame } = machine;
  const stored = conversation.messages.filter((message) => shownId(message) === frame.messageId);
  const [message] = toUiMessages({ ...conversation, messages: stored });
  const texts = message?.parts.map((part) =>
    part.type === "text" && part.thread === undefined ? part.text : "",
  );
  return {
    $typeName: "muster.sessions.v1.TurnResult",
    messageJson: JSON.stringify(message ?? null),
    text: texts?.join("") ?? "",
  };
}
