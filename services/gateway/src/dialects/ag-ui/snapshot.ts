import type { UiMessage, UiMessagePart } from "@muster/client";

/** Stored messages as those of AG-UI, for a returning reader. */
export function snapshotOf(messages: readonly UiMessage[]): object[] {
  return messages.flatMap(({ id, role, parts }) => {
    if (role === "user") {
      const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
      return [{ id, role, content: texts.join("\n") }];
    }
    return parts.flatMap((part, index) => messagesOf(part, `${id}-${index}`));
  });
}

function messagesOf(part: UiMessagePart, id: string): object[] {
  if (part.thread !== undefined) return [];
  if (part.type === "text") return [{ id, role: "assistant", content: part.text }];
  if (part.type === "reasoning") return [{ id, role: "reasoning", content: part.text }];
  if (part.type !== "tool-call") return [];
  const { toolCallId, toolName, args, result, error, status } = part;
  const call = {
    id: toolCallId,
    type: "function",
    function: { name: toolName, arguments: JSON.stringify(args) },
  };
  const made = { id, role: "assistant", toolCalls: [call] };
  if (status === "pending" || status === "running") return [made];
  const content = error ?? (typeof result === "string" ? result : JSON.stringify(result ?? null));
  return [made, { id: `${toolCallId}-result`, role: "tool", toolCallId, content }];
}
