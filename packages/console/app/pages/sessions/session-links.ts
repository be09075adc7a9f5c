import type { UiMessage, UiMessagePart } from "@muster/client";
import { flatten, type Step } from "./step.ts";

/** Finds the row of the waterfall that tells about a place in the transcript. */
export interface SessionLinks {
  ofMessage: (message: UiMessage) => string | undefined;
  ofPart: (message: UiMessage, part: UiMessagePart) => string | undefined;
}

/** Long texts of the log are shortened. */
const comparedLength = 200;

export function sessionLinks(turns: readonly Step[]): SessionLinks {
  const byMessage = new Map<string, string>();
  const byCall = new Map<string, string>();
  const byWorker = new Map<string, string>();
  const byText = new Map<string, string>();
  for (const turn of turns)
    for (const step of flatten([turn]))
      for (const entry of step.entries) {
        if (entry.type === "message") byMessage.set(entry.messageId, turn.id);
        if (entry.type === "tool-call" || entry.type === "tool-result") byCall.set(entry.toolCallId, step.id);
        if (entry.type === "worker-execution" && entry.workerId) byWorker.set(entry.workerId, step.id);
        if (entry.type === "llm-response" || entry.type === "reasoning")
          byText.set(textKey(turn.id, entry.text), step.id);
      }
  /** A message of the agent belongs to the turn that had begun before it. */
  const turnOf = ({ id, createdAt }: UiMessage) =>
    byMessage.get(id) ?? turns.findLast(({ startMs }) => startMs <= Date.parse(createdAt))?.id;
  return {
    ofMessage: turnOf,
    ofPart: (message, part) => {
      const turnId = turnOf(message);
      if (part.type === "tool-call") return byCall.get(part.toolCallId) ?? turnId;
      if (part.type === "worker") return byWorker.get(part.workerId) ?? turnId;
      const isText = part.type === "text" || part.type === "reasoning";
      return (isText && turnId !== undefined && byText.get(textKey(turnId, part.text))) || turnId;
    },
  };
}

function textKey(turnId: string, text: string): string {
  return `${turnId} ${text.trim().slice(0, comparedLength)}`;
}
