import type { Turn } from "../turn/turn.ts";

export const workerLimits = {
  /** Workers that call one another. */
  depth: 4,
  /** That run at the same time in one execution. */
  running: 32,
  /** That one execution starts in all. */
  started: 1_000,
} as const;

/** Why a worker with this slug may never run inside this turn: a sentence for the model. Undefined: it may. */
export function nestingProblem(parent: Turn, slug: string): string | undefined {
  const callers = callersOf(parent);
  if (callers.includes(slug)) {
    const path = [...callers.slice(callers.indexOf(slug)), slug].join(" -> ");
    return `The worker would run itself again: ${path}.`;
  }
  if (callers.length >= workerLimits.depth)
    return `Workers may call one another at most ${workerLimits.depth} deep: ${callers.join(" -> ")} cannot call ${slug}.`;
  return undefined;
}

/** Why no more workers may start now: a sentence for the model. Undefined: they may. */
export function capacityProblem({ tree }: Turn): string | undefined {
  if (tree.workers.size >= workerLimits.running)
    return `At most ${workerLimits.running} workers run at the same time. Call this one again in the next step.`;
  if ((tree.root.frame.startedWorkers ?? 0) >= workerLimits.started)
    return `At most ${workerLimits.started.toLocaleString("en")} workers run in one turn.`;
  return undefined;
}

/** The slugs of the workers inside which the turn runs, its own last. */
function callersOf(turn: Turn): string[] {
  const callers: string[] = [];
  for (let worker: Turn | undefined = turn; worker !== undefined; worker = worker.origin?.parent) {
    if (worker.frame.workerSlug !== undefined) callers.unshift(worker.frame.workerSlug);
  }
  return callers;
}
