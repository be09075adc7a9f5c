import { toolVisibility } from "../shown/display.ts";
import { emit, emitOuter, type Turn } from "../turn/turn.ts";

/**
 * Retracts what readers may have seen after a worker that they cannot see into: of its card, or, if they do not see that
 * either, of the turn that waits for it.
 */
export function retractAfter(worker: Turn): void {
  const { origin, frame } = worker;
  if (origin === undefined || frame.workerId === undefined) return;
  const { parent, part, thread } = origin;
  if (parent.isSilent) retractAfter(parent);
  else if (toolVisibility[part.display].name)
    emitOuter(worker, { type: "step-discard", step: frame.modelSteps, workerId: frame.workerId });
  else {
    const blockId = parent.openBlock?.id;
    // A summary is written within the step that needs it.
    const isInStep = parent.frame.open?.fold?.call === part;
    const step = parent.frame.modelSteps + (isInStep ? 0 : 1);
    const event = { type: "step-discard", step, waiting: true } as const;
    emit(parent, blockId === undefined ? event : { ...event, blockId }, thread);
  }
}
