import type { WorkerRun } from "../boundary/frame.ts";
import { isOfWorker } from "../conversation/worker-call.ts";
import { messagesOfTurn, type Origin, type Turn } from "../turn/turn.ts";
import { findWorker, isFound } from "./library.ts";
import { turnOfRun } from "./run-turn.ts";

/** The turns of the workers in a stored frame. Throws if one cannot be continued. */
export function restoreRuns({ tree }: Turn): void {
  for (const run of tree.root.frame.workers ?? []) {
    const { workerId = "", workerSlug = "" } = run.frame;
    const found = findWorker(tree.root, workerSlug);
    const origin = originOf(tree.root, run, workerId);
    if (origin === undefined || !isFound(found))
      throw new Error(`The worker ${workerId} cannot be continued.`);
    tree.runs.set(workerId, turnOfRun(origin, run, found.program));
  }
}

function originOf({ tree }: Turn, { parentId, thread }: WorkerRun, workerId: string): Origin | undefined {
  const parent = parentId === undefined ? tree.root : tree.runs.get(parentId);
  if (parent === undefined) return undefined;
  const writer = parent.frame.open?.fold?.call;
  if (writer?.worker.workerId === workerId) return { parent, part: writer, thread };
  for (const { parts } of messagesOfTurn(parent)) {
    for (const part of parts) {
      if (part.type === "tool-call" && isOfWorker(part) && part.worker.workerId === workerId)
        return { parent, part, thread };
    }
  }
  return undefined;
}
