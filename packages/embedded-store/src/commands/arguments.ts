import { nearestDouble } from "../bson/numbers.ts";
import { show } from "../bson/show.ts";
import { T } from "../bson/types.ts";
import { type Doc, isNumber, typeName, type Value } from "../bson/value.ts";
import { notSupported, StoreError } from "../errors.ts";
import { truth } from "../query/predicates.ts";

/** Fields that a driver may add to any command; they are always satisfied or checked in the dispatcher. */
export const genericFields = new Set(
  "$db lsid txnNumber $clusterTime $readPreference readConcern writeConcern apiVersion apiStrict apiDeprecationErrors maxTimeMS comment startTransaction autocommit".split(
    " ",
  ),
);

/** MongoDB options, of this or other commands, that this server refuses by name. */
const knownOptions = new Set(
  "collation hint let sort remove arrayFilters min max returnKey showRecordId tailable awaitData oplogReplay noCursorTimeout allowPartialResults allowDiskUse bypassDocumentValidation sampleRate capped size validator validationLevel validationAction timeseries viewOn pipeline expireAfterSeconds clusteredIndex changeStreamPreAndPostImages commitQuorum".split(
    " ",
  ),
);

/** Typed reads of a command's fields (or of one of its statements). Wrong types throw TypeMismatch. */
export class CommandArguments {
  readonly body: Doc;
  readonly #where: string;

  /** `where` names the command or statement in messages, for example `find` or `update.updates`. */
  constructor(body: Doc, where: string) {
    this.body = body;
    this.#where = where;
  }

  /** Refuses every field that is not listed, except unsupported options that are off (false, empty). */
  allowOnly(fields: readonly string[], generic: boolean): void {
    for (const [name, value] of this.body) {
      if (fields.includes(name) || (generic && genericFields.has(name))) continue;
      if (knownOptions.has(name)) {
        if (isOff(value)) continue;
        throw notSupported(`The option '${name}' of '${this.#where}'`);
      }
      throw new StoreError("Location40415", `BSON field '${this.#where}.${name}' is an unknown field.`);
    }
  }

  get db(): string {
    return this.string("$db");
  }

  /** The client says that the write is part of a deletion, such as one that marks what is to be removed. */
  get isDeletion(): boolean {
    const comment = this.value("comment");
    return comment?.type === T.string && comment.value === "deletion";
  }

  value(name: string): Value | undefined {
    const value = this.body.get(name);
    return value?.type === T.null ? undefined : value;
  }

  requiredValue(name: string): Value {
    const value = this.value(name);
    if (value) return value;
    throw this.#mismatch(name, undefined, "any");
  }

  string(name: string): string {
    const value = this.value(name);
    if (value?.type === T.string) return value.value;
    throw this.#mismatch(name, value, "string");
  }

  doc(name: string): Doc | undefined {
    const value = this.value(name);
    if (value === undefined || value.type === T.document) return value?.value;
    throw this.#mismatch(name, value, "object");
  }

  /** A document that must be present: a missing filter must never select everything. */
  requiredDoc(name: string): Doc {
    const value = this.doc(name);
    if (value) return value;
    throw this.#mismatch(name, undefined, "object");
  }

  docs(name: string): Doc[] {
    const value = this.value(name);
    if (value?.type !== T.array) throw this.#mismatch(name, value, "array");
    return value.value.items.map((item) => {
      if (item.type !== T.document) throw this.#mismatch(name, item, "object");
      return item.value;
    });
  }

  /** A whole number of any numeric type. */
  integer(name: string, fallback: number): number {
    const value = this.value(name);
    if (value === undefined) return fallback;
    if (!isNumber(value)) throw this.#mismatch(name, value, "number");
    const number = nearestDouble(value);
    if (Number.isSafeInteger(number)) return number;
    throw new StoreError("BadValue", `'${this.#where}.${name}' must be a whole number, not ${show(value)}`);
  }

  /** Like `integer`, for a field that must be present. */
  requiredInteger(name: string): number {
    if (this.value(name) === undefined) throw this.#mismatch(name, undefined, "number");
    return this.integer(name, 0);
  }

  /** Like `integer`, refusing negative numbers. */
  count(name: string, fallback: number): number {
    const number = this.integer(name, fallback);
    if (number >= 0) return number;
    throw new StoreError("BadValue", `'${this.#where}.${name}' must not be negative, but is ${number}`);
  }

  flag(name: string, fallback: boolean): boolean {
    const value = this.value(name);
    if (value === undefined) return fallback;
    if (value.type === T.boolean || isNumber(value)) return truth(value);
    throw this.#mismatch(name, value, "bool");
  }

  #mismatch(name: string, value: Value | undefined, wanted: string): StoreError {
    const field = `${this.#where}.${name}`;
    if (value === undefined) {
      return new StoreError("Location40414", `BSON field '${field}' is missing but a required field`);
    }
    const problem = `BSON field '${field}' is the wrong type '${typeName(value)}', expected type '${wanted}'`;
    return new StoreError("TypeMismatch", problem);
  }
}

function isOff(value: Value): boolean {
  if (value.type === T.document) return value.value.size === 0;
  return value.type === T.null || (value.type === T.boolean && !value.value);
}
