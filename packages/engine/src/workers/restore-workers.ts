import type { WorkerState } from "../boundary/frame.ts";
import { isOfWorker } from "../conversation/worker-call.ts";
import { messagesOfTurn, type Origin, type Turn } from "../turn/turn.ts";
import { findWorker, isFound } from "./library.ts";
import { turnOfWorker } from "./turn-of-worker.ts";

/** The turns of the workers in a stored frame. Throws if one cannot be continued. */
export function restoreWorkers({ tree }: Turn): void {
  for (const worker of tree.root.frame.workers ?? []) {
    const { workerId = "", workerSlug = "" } = worker.frame;
    const found = findWorker(tree.root, workerSlug);
    const origin = originOf(tree.root, worker, workerId);
    if (origin === undefined || !isFound(found))
      throw new Error(`The worker ${workerId} cannot be continued.`);
    tree.workers.set(workerId, turnOfWorker(origin, worker, found.program));
  }
}

function originOf({ tree }: Turn, { parentId, thread }: WorkerState, workerId: string): Origin | undefined {
  const parent = parentId === undefined ? tree.root : tree.workers.get(parentId);
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
