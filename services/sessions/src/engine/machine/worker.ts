import type { Frame } from "../boundary/frame.ts";
import type { StreamEvent } from "../shown/events.ts";
import { readVariable } from "../turn/scope.ts";
import { emitOuter, type Turn } from "../turn/turn.ts";

/** What a turn of a worker adds to those of sessions. In a session these do nothing. */

/** Once per execution: a continued stream goes on with the `workerId` of the first. */
export function announceWorker(turn: Turn): void {
  const { workerId, workerSlug } = turn.frame;
  if (workerId === undefined || workerSlug === undefined) return;
  emitOuter(turn, { type: "worker-start", workerId, workerSlug, input: turn.sessionInput });
}

/** The value of the program's `output`; null when nothing wrote it, none when it has no such key. */
export function workerOutput(turn: Turn): StreamEvent[] {
  const { program, frame } = turn;
  if (program.format !== "worker" || frame.workerId === undefined) return [];
  const { output } = program;
  return [
    {
      type: "worker-result",
      workerId: frame.workerId,
      ...(output !== undefined && { output: readVariable(turn, output) ?? null }),
    },
  ];
}

export function workerError({ workerId }: Pick<Frame, "workerId">, error: string): StreamEvent[] {
  return workerId === undefined ? [] : [{ type: "worker-result", workerId, error }];
}
