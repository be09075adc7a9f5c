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
