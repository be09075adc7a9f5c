import { type Machine, mainThread, type RunningWorker, type StoredMessage } from "@muster/engine";

/** The fields of an entry that say where something happened. Absent: on the main thread, outside of blocks, in the turn itself. */
export interface Where {
  thread?: string;
  blockName?: string;
  workerId?: string;
}

export function whereIn({ block, frame }: RunningWorker): Where {
  return {
    ...(block !== undefined && block.thread !== mainThread && { thread: block.thread }),
    ...(block !== undefined && { blockName: block.name }),
    ...(frame.workerId !== undefined && { workerId: frame.workerId }),
  };
}

export function workersOf({ frame: { workers = [] } }: Pick<Machine, "frame">): string[] {
  return workers.flatMap(({ frame }) => frame.workerId ?? []);
}

/** A message of a model gets its first text in a later input, so none can be confused with it. */
export function isAdded({ role, status, parts }: StoredMessage): boolean {
  return role !== "assistant" || (status === "done" && parts.length === 1 && parts[0]?.type === "text");
}

/** They are at the end of the conversation. */
export function messagesOfTurn({
  conversation,
  frame,
}: Pick<Machine, "conversation" | "frame">): StoredMessage[] {
  const { messages } = conversation;
  let first = messages.length;
  while (first > 0 && messages[first - 1]?.executionId === frame.executionId) first -= 1;
  return messages.slice(first);
}

export function endedCallsOf({ parts }: StoredMessage): string[] {
  return parts.flatMap((part) =>
    part.type === "tool-call" && (part.status === "done" || part.status === "error") ? part.toolCallId : [],
  );
}
