import type { StoredMessage, StoredPart } from "./conversation.ts";

/** The default thread. */
export const mainThread = "main";

/** Threads of independent turns. Names of real threads have no slash. */
export const asidePrefix = "independent/";

/** The id by which users know a stored message. The first of several may have stayed empty and been removed. */
export function shownId({ id, partOf }: StoredMessage): string {
  return partOf ?? id;
}

/** True if a model wrote it; false for the handler's own operations and tool calls. */
export function isModelOutput(part: StoredPart): boolean {
  switch (part.type) {
    case "text":
    case "reasoning":
    case "object":
    case "file":
    case "source":
    case "todo":
      return true;
    case "tool-call":
      return part.source === "llm";
    case "operation":
    case "step-start":
      return false;
    default:
      return part satisfies never;
  }
}

/** The parts of the latest step. */
export function lastStep(message: StoredMessage | undefined): StoredPart[] {
  if (message === undefined) return [];
  const start = message.parts.findLastIndex((part) => part.type === "step-start");
  return message.parts.slice(start + 1);
}

export function callIdsOf({ parts }: StoredMessage): string[] {
  return parts.flatMap((part) => (part.type === "tool-call" ? part.toolCallId : []));
}
