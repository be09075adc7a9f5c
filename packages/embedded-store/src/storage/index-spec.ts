import { nearestDouble } from "../bson/numbers.ts";
import { show } from "../bson/show.ts";
import { T } from "../bson/types.ts";
import { Doc, isNumber, type Value } from "../bson/value.ts";
import { notSupported, StoreError } from "../errors.ts";
import { own } from "../own.ts";
import { conjuncts, type Expression } from "../query/conjuncts.ts";
import { keyField, signOf } from "../query/key-pattern.ts";
import type { KeyField } from "../query/keys.ts";
import { parseFilter } from "../query/parse.ts";
import { parseFieldPath } from "../query/path.ts";

/** An index definition, parsed from its declaration. */
export interface IndexSpec {
  readonly name: string;
  readonly fields: readonly KeyField[];
  readonly unique: boolean;
  /** Only documents that satisfy it are indexed. */
  readonly partial?: Expression;
  /** Documents expire this long after the time in the indexed field. */
  readonly expireAfterSeconds?: number;
  /** The declaration as listIndexes shows it. */
  readonly source: Doc;
}

const ignored = new Set(["ns", "background"]);

/** Parses and checks one entry of `createIndexes`. */
export function parseIndexSpec(declared: Doc): IndexSpec {
  const key = declared.get("key");
  if (key?.type !== T.document) throw new StoreError("FailedToParse", "An index needs a 'key' document");
  const fields = parseIndexKey(key.value);
  const name = declared.get("name");
  if (name?.type !== T.string || name.value === "") {
    throw new StoreError("FailedToParse", "An index needs a 'name'");
  }
  const options = parseOptions(declared, fields);
  const source = new Doc([
    ["v", { type: T.int32, value: 2 }],
    ["key", key],
    ["name", name],
  ]);
  for (const option of ["unique", "partialFilterExpression", "expireAfterSeconds"]) {
    const value = declared.get(option);
    if (value && !(value.type === T.boolean && !value.value)) source.set(option, value);
  }
  return { name: name.value, fields, ...options, source };
}

/** Parses `{ a: 1, "b.c": -1 }`, the key of an index. */
function parseIndexKey(pattern: Doc): KeyField[] {
  const error = "CannotCreateIndex";
  if (pattern.size === 0) throw new StoreError(error, "The keys cannot be empty.");
  return Array.from(pattern, ([field, direction]) => {
    const sign = signOf(direction);
    if (sign === undefined)
      throw new StoreError(error, `The direction of '${field}' must be 1 or -1, not ${show(direction)}`);
    return keyField(field, parseFieldPath(field, error), sign);
  });
}

type Options = Pick<IndexSpec, "unique" | "partial" | "expireAfterSeconds">;

function parseOptions(declared: Doc, fields: readonly KeyField[]): Options {
  let options: Options = { unique: false };
  for (const [name, value] of declared) {
    if (name === "key" || name === "name" || ignored.has(name)) continue;
    const parse = own(optionParsers, name);
    if (!parse) throw notSupported(`The index option '${name}'`);
    options = { ...options, ...parse(value, fields) };
  }
  return options;
}

/** Parsers of index options by name. A test compares the names with the README's table. */
export const optionParsers: Readonly<
  Record<string, (value: Value, fields: readonly KeyField[]) => Partial<Options>>
> = {
  v: (value) => {
    if (isNumber(value) && nearestDouble(value) === 2) return {};
    throw new StoreError("CannotCreateIndex", `Invalid index version ${show(value)}`);
  },
  unique: (value) => ({ unique: booleanOption("unique", value) }),
  expireAfterSeconds: (value, fields) => {
    const seconds = isNumber(value) ? nearestDouble(value) : Number.NaN;
    if (!(seconds >= 0 && seconds <= 2147483647)) {
      throw new StoreError(
        "CannotCreateIndex",
        `TTL index 'expireAfterSeconds' is out of range: ${show(value)}`,
      );
    }
    if (fields.length !== 1 || fields[0]?.field === "_id") {
      throw new StoreError("CannotCreateIndex", "TTL indexes are single-field indexes, and not on _id");
    }
    return { expireAfterSeconds: seconds };
  },
  partialFilterExpression: (value) => {
    if (value.type !== T.document) {
      throw new StoreError("TypeMismatch", "'partialFilterExpression' must be a document");
    }
    const partial = parseFilter(value.value);
    checkPartial(partial);
    return { partial };
  },
};

function booleanOption(name: string, value: Value): boolean {
  if (value.type === T.boolean) return value.value;
  if (isNumber(value)) return nearestDouble(value) !== 0;
  throw new StoreError("TypeMismatch", `The index option '${name}' must be a boolean`);
}

const partialOperators = ["$eq", "$gt", "$gte", "$lt", "$lte", "$in", "$exists", "$type"];

// A query cannot imply a negation, so MongoDB refuses it too.
function checkPartial(expression: Expression): void {
  for (const condition of conjuncts(expression)) {
    if (condition.kind === "test" && partialOperators.includes(condition.predicate.operator)) continue;
    throw new StoreError("CannotCreateIndex", "Unsupported expression in partial index");
  }
}
