import type { ToolCallPart, WorkerCall } from "./conversation.ts";

export type WorkerCallPart = ToolCallPart & { worker: WorkerCall };

export function isOfWorker(part: ToolCallPart): part is WorkerCallPart {
  return part.worker !== undefined;
}
