import type { JsonObject, JsonSchema, WorkerProgram } from "@muster/language";
import type { FoundWorker } from "../boundary/machine.ts";
import type { Turn } from "../turn/turn.ts";

/** A worker that exists but must not run here, or one that does not exist. */
export interface Obstacle {
  /** A sentence. */
  problem: string;
  retryable: boolean;
}

/** The worker, or why it cannot be run. */
export function findWorker({ tree }: Turn, slug: string): FoundWorker | Obstacle {
  const found = tree.library.get(slug);
  return found ?? { problem: `The worker ${JSON.stringify(slug)} does not exist.`, retryable: false };
}

export function isFound(worker: FoundWorker | Obstacle): worker is FoundWorker {
  return "program" in worker;
}

const schemas = new WeakMap<WorkerProgram, JsonObject>();

/** The input of a worker, as the parameters of a tool. */
export function inputSchemaOf(program: WorkerProgram): JsonObject {
  let schema = schemas.get(program);
  if (schema === undefined) {
    schema = writeSchema(program);
    schemas.set(program, schema);
  }
  return schema;
}

function writeSchema({ input }: WorkerProgram): JsonObject {
  const specs = Object.entries(input);
  const properties = specs.map(([name, { schema, description }]): [string, JsonSchema] => [
    name,
    description === undefined ? schema : { ...schema, description },
  ]);
  const required = specs.filter(([, spec]) => !spec.optional && spec.default === undefined);
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    required: required.map(([name]) => name),
    additionalProperties: false,
  };
}

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

/** Why a summary cannot wait for the application: the turn would pause in the middle of a step. */
export const noClientTools =
  "Tools of the application cannot be called while a summary of the conversation is written.";

/** Whether the turn is that of a worker that writes a summary, or of one that it calls. */
export function isSummarizing(turn: Turn): boolean {
  for (let origin = turn.origin; origin !== undefined; origin = origin.parent.origin) {
    if (origin.parent.frame.open?.fold?.call === origin.part) return true;
  }
  return false;
}
