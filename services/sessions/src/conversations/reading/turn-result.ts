import { type Conversation, shownId, toUiMessages } from "@muster/engine";
import type { TurnResult } from "@muster/proto/sessions";

/**
 * The parts that an ended or paused turn has written into its message, as users see them. Undefined: nothing is left.
 */
export function turnResult(conversation: Conversation | undefined, messageId: string): TurnResult {
  const stored = conversation?.messages.filter((message) => shownId(message) === messageId) ?? [];
  const [message] = conversation === undefined ? [] : toUiMessages({ ...conversation, messages: stored });
  const texts = message?.parts.map((part) =>
    part.type === "text" && part.thread === undefined ? part.text : "",
  );
  return {
    $typeName: "muster.sessions.v1.TurnResult",
    messageJson: JSON.stringify(message ?? null),
    text: texts?.join("") ?? "",
  };
}
