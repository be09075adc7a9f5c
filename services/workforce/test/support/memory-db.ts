import { type Db, MongoServerError } from "mongodb";

type Fields = Record<string, unknown>;

type OnWrite = (collection: string, before: Fields | undefined, after: Fields | undefined) => void;

/** How a process carries out a command: others can be earlier, and the process can die before or after its effect. */
export type Step = <T>(effect: () => T) => Promise<T>;

/**
 * The few operations of a database that the workforce service's stores use, in memory. Each command is one step, and between
 * two of them any other process can act.
 */
export class MemoryStore {
  readonly #documents = new Map<string, Map<unknown, Fields>>();
  readonly #onWrite: OnWrite;

  constructor(onWrite: OnWrite) {
    this.#onWrite = onWrite;
  }

  /** The database as one process sees it. */
  connect(step: Step): Db {
    const collection = (name: string) => {
      const documents = this.#documents.get(name) ?? new Map<unknown, Fields>();
      this.#documents.set(name, documents);
      return new MemoryCollection(documents, step, (before, after) => this.#onWrite(name, before, after));
    };
    // The stores call nothing else of it.
    return { collection } as unknown as Db;
  }
}

interface UpdateOptions {
  sort?: Record<string, 1>;
  returnDocument?: "before" | "after";
}

class MemoryCollection {
  readonly #documents: Map<unknown, Fields>;
  readonly #step: Step;
  readonly #onWrite: (before: Fields | undefined, after: Fields | undefined) => void;

  constructor(
    documents: Map<unknown, Fields>,
    step: Step,
    onWrite: (before: Fields | undefined, after: Fields | undefined) => void,
  ) {
    this.#documents = documents;
    this.#step = step;
    this.#onWrite = onWrite;
  }

  insertOne(document: Fields) {
    return this.#step(() => {
      const isTaken =
        this.#documents.has(document._id) ||
        [...this.#documents.values()].some((other) => hasSameKey(document, other));
      if (isTaken) throw new MongoServerError({ code: 11_000, message: "duplicate key" });
      this.#store(undefined, structuredClone(document));
    });
  }

  /** Each document is a step of its own. */
  async insertMany(documents: readonly Fields[]) {
    let failure: unknown;
    for (const document of documents) {
      await this.insertOne(document).catch((error: unknown) => {
        if (!(error instanceof MongoServerError)) throw error;
        failure = error;
      });
    }
    if (failure) throw failure;
  }

  /** Each document is a step of its own. */
  async updateMany(filter: Fields, update: Fields) {
    for (const { _id } of this.#find(filter)) await this.updateOne({ ...filter, _id }, update);
  }

  findOne(filter: Fields, { sort = {} }: UpdateOptions = {}) {
    return this.#step(() => structuredClone(this.#find(filter).sort(inOrder(sort))[0]) ?? null);
  }

  findOneAndUpdate(filter: Fields, update: Fields, { sort, returnDocument = "before" }: UpdateOptions = {}) {
    return this.#step(() => structuredClone(this.#update(filter, update, sort)?.[returnDocument]) ?? null);
  }

  updateOne(filter: Fields, update: Fields) {
    return this.#step(() => ({ matchedCount: this.#update(filter, update) === undefined ? 0 : 1 }));
  }

  deleteOne(filter: Fields) {
    return this.#step(() => {
      const [found] = this.#find(filter);
      if (found === undefined) return { deletedCount: 0 };
      this.#documents.delete(found._id);
      this.#onWrite(found, undefined);
      return { deletedCount: 1 };
    });
  }

  find(filter: Fields) {
    let order: Record<string, 1 | -1> = {};
    let limit = Number.POSITIVE_INFINITY;
    const cursor = {
      sort: (by: Record<string, 1 | -1>) => {
        order = by;
        return cursor;
      },
      limit: (count: number) => {
        limit = count;
        return cursor;
      },
      project: () => cursor,
      toArray: () =>
        this.#step(() => structuredClone(this.#find(filter).sort(inOrder(order)).slice(0, limit))),
    };
    return cursor;
  }

  #find(filter: Fields): Fields[] {
    return [...this.#documents.values()].filter((document) => matches(document, filter));
  }

  #update(
    filter: Fields,
    update: Fields,
    sort: Record<string, 1> = {},
  ): { before: Fields; after: Fields } | undefined {
    const [by] = Object.keys(sort);
    const all = this.#find(filter);
    const [found] =
      by === undefined ? all : all.sort((a, b) => +orderOf(valueAt(a, by)) - +orderOf(valueAt(b, by)));
    if (found === undefined) return undefined;
    const changed = structuredClone(found);
    for (const [operator, changes] of Object.entries(update)) {
      for (const [path, value] of Object.entries(fieldsOf(changes))) apply(operator, changed, path, value);
    }
    this.#store(found, changed);
    return { before: found, after: changed };
  }

  #store(before: Fields | undefined, after: Fields): void {
    this.#documents.set(after._id, after);
    this.#onWrite(before, after);
  }
}

/** The unique indexes: an agent's idempotency key, an event of a webhook, a delivery of a hook, a time of a schedule. */
function hasSameKey(one: Fields, other: Fields): boolean {
  if (one.identity !== undefined) return one.identity === other.identity && one.hookId === other.hookId;
  if (one.occurrence !== undefined)
    return one.occurrence === other.occurrence && one.scheduleId === other.scheduleId;
  if (one.eventId !== undefined) return one.eventId === other.eventId && one.webhookId === other.webhookId;
  const key = valueAt(one, "idem.key");
  return key !== undefined && key === valueAt(other, "idem.key") && one.agentId === other.agentId;
}

function matches(document: Fields, filter: Fields): boolean {
  return Object.entries(filter).every(([path, condition]) => {
    if (path === "$or" && Array.isArray(condition))
      return condition.some((each) => matches(document, fieldsOf(each)));
    const value = valueAt(document, path);
    if (!isOperators(condition)) return equals(value, condition);
    return holdAll(condition, value);
  });
}

function holds(operator: string, value: unknown, operand: unknown): boolean {
  switch (operator) {
    case "$exists":
      return (value !== undefined) === operand;
    case "$ne":
      return !equals(value, operand);
    case "$nin":
      return Array.isArray(operand) && !operand.some((each) => equals(value, each));
    case "$in":
      return Array.isArray(operand) && operand.some((each) => equals(value, each));
    case "$size":
      return Array.isArray(value) && value.length === operand;
    case "$not":
      return !holdAll(operand, value);
    case "$elemMatch":
      return Array.isArray(value) && value.some((each) => holdAll(operand, each));
    case "$lt":
      return value !== undefined && value !== null && orderOf(value) < orderOf(operand);
    case "$lte":
      return value !== undefined && value !== null && orderOf(value) <= orderOf(operand);
    case "$gt":
      return value !== undefined && value !== null && orderOf(value) > orderOf(operand);
    case "$gte":
      return value !== undefined && value !== null && orderOf(value) >= orderOf(operand);
    default:
      throw new Error(`The operator ${operator} is not supported here`);
  }
}

function holdAll(operators: unknown, value: unknown): boolean {
  return Object.entries(fieldsOf(operators)).every(([operator, operand]) => holds(operator, value, operand));
}

function inOrder(by: Record<string, 1 | -1>): (a: Fields, b: Fields) => number {
  return (a, b) => {
    for (const [path, direction] of Object.entries(by)) {
      const [one, other] = [orderOf(valueAt(a, path)), orderOf(valueAt(b, path))];
      if (one !== other) return one < other ? -direction : direction;
    }
    return 0;
  };
}

function orderOf(value: unknown): string | number {
  return typeof value === "string" ? value : Number(value);
}

function equals(value: unknown, wanted: unknown): boolean {
  if (wanted === null) return value === null || value === undefined;
  if (Array.isArray(value)) return value.includes(wanted);
  if (value instanceof Date && wanted instanceof Date) return value.getTime() === wanted.getTime();
  return value === wanted;
}

function apply(operator: string, document: Fields, path: string, value: unknown): void {
  const names = path.split(".");
  const last = names.pop() ?? "";
  const owner = names.length === 0 ? document : valueAt(document, names.join("."));
  if (owner === undefined && operator === "$unset") return;
  const parent = fieldsOf(owner);
  const list = Array.isArray(parent[last]) ? parent[last] : [];
  if (operator === "$set") parent[last] = structuredClone(value);
  else if (operator === "$unset") delete parent[last];
  else if (operator === "$inc") parent[last] = Number(parent[last] ?? 0) + Number(value);
  else if (operator === "$min") {
    const current = parent[last];
    if (current === undefined || orderOf(value) < orderOf(current)) parent[last] = structuredClone(value);
  } else if (operator === "$push") parent[last] = [...list, structuredClone(value)];
  else if (operator === "$pull") parent[last] = list.filter((item) => !isPulled(item, value));
  else throw new Error(`The operator ${operator} is not supported here`);
}

function isPulled(item: unknown, wanted: unknown): boolean {
  return typeof wanted === "object" ? matches(fieldsOf(item), fieldsOf(wanted)) : item === wanted;
}

function valueAt(document: Fields, path: string): unknown {
  let value: unknown = document;
  for (const name of path.split(".")) {
    if (typeof value !== "object" || value === null) return undefined;
    value = Reflect.get(value, name);
  }
  return value;
}

function isOperators(condition: unknown): condition is Fields {
  return (
    typeof condition === "object" &&
    condition !== null &&
    Object.keys(condition).length > 0 &&
    Object.keys(condition).every((name) => name.startsWith("$"))
  );
}

function fieldsOf(value: unknown): Fields {
  if (typeof value !== "object" || value === null) throw new Error("An object is expected");
  return value as Fields;
}
