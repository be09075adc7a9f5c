import { frameOf, type RelayedEvent } from "./frames.ts";

interface Kind {
  /** The field that matches an end to its start. */
  idField: string;
  endType: string;
  /** Fields of an end that the gateway sends itself. */
  lost?: { error: string };
}

const workerKind: Kind = {
  idField: "workerId",
  endType: "worker-result",
  lost: { error: "The platform failed before the worker finished." },
};

const kinds: Readonly<Record<string, Kind>> = {
  "block-start": { idField: "blockId", endType: "block-end" },
  "text-start": { idField: "id", endType: "text-end" },
  "reasoning-start": { idField: "id", endType: "reasoning-end" },
  "tool-input-start": { idField: "toolCallId", endType: "tool-input-end" },
  "worker-input-start": workerKind,
  "worker-start": workerKind,
};

/** Fields that an end repeats from its start. */
const whereabouts = ["thread", "workerId", "parentWorkerId"];

const kindByEnd = new Map(Object.values(kinds).map((kind) => [kind.endType, kind]));

/**
 * Remembers which parts of a stream are open, so that every start gets its end even if the service behind it fails.
 * Deltas, nearly all events, cost one comparison; only starts and ends are parsed.
 */
export class OpenParts {
  readonly #open = new Map<string, { type: string; [field: string]: string }>();

  observe({ type, json }: RelayedEvent): void {
    if (type.endsWith("-delta")) return;
    const started = kinds[type];
    if (started !== undefined) this.#start(started, json);
    else this.#end(type, json);
  }

  /** The missing ends, innermost first. `interrupted` distinguishes them from events of the turn. */
  closingFrames(): string {
    const ends = [...this.#open.values()].reverse();
    this.#open.clear();
    return ends.map((end) => frameOf({ ...end, interrupted: true })).join("");
  }

  #start({ idField, endType, lost }: Kind, json: string): void {
    const { [idField]: id, ...where } = readFields(json, [idField, ...whereabouts]);
    if (id !== undefined)
      this.#open.set(`${endType} ${id}`, { type: endType, [idField]: id, ...where, ...lost });
  }

  #end(type: string, json: string): void {
    const kind = kindByEnd.get(type);
    if (kind !== undefined) this.#open.delete(`${type} ${readFields(json, [kind.idField])[kind.idField]}`);
  }
}

/** The fields whose value is a string. */
function readFields(json: string, fields: readonly string[]): { [field: string]: string } {
  const event: unknown = JSON.parse(json);
  if (event === null || typeof event !== "object") return {};
  const found: { [field: string]: string } = {};
  for (const field of fields) {
    const value: unknown = Reflect.get(event, field);
    if (typeof value === "string") found[field] = value;
  }
  return found;
}
