import type { JsonValue } from "@muster/language";
import type { Frame } from "../boundary/frame.ts";
import type { StreamEvent } from "../shown/events.ts";
import { readVariable } from "../turn/scope.ts";
import { emitOuter, type Turn } from "../turn/turn.ts";

/** Additions of a worker's turn. In a session they do nothing. */

/** Once per execution: a continued stream keeps the `workerId` of the first. */
export function announceWorker(turn: Turn): void {
  const { workerId, workerSlug } = turn.frame;
  if (workerId === undefined || workerSlug === undefined) return;
  emitOuter(turn, { type: "worker-start", workerId, workerSlug, input: turn.sessionInput });
}

/** The value of the program's `output`: null if no block wrote it, absent if the program does not declare it. */
export function workerOutput(turn: Turn): StreamEvent[] {
  const { workerId } = turn.frame;
  return workerId === undefined ? [] : [{ type: "worker-result", workerId, ...outputOf(turn) }];
}

export function outputOf(turn: Turn): { output?: JsonValue } {
  const { program } = turn;
  if (program.format !== "worker" || program.output === undefined) return {};
  return { output: readVariable(turn, program.output) ?? null };
}

export function workerError({ workerId }: Pick<Frame, "workerId">, error: string): StreamEvent[] {
  return workerId === undefined ? [] : [{ type: "worker-result", workerId, error }];
}
