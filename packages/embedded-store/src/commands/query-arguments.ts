import { Doc } from "../bson/value.ts";
import { StoreError } from "../errors.ts";
import type { Query } from "../query/cursor.ts";
import type { Expression } from "../query/expression.ts";
import type { KeyField } from "../query/keys.ts";
import { parseFilter } from "../query/parse.ts";
import { parseKeyPattern } from "../storage/index-spec.ts";
import type { CommandArguments } from "./arguments.ts";

/** The filter in the field `name`; without the field, everything matches. */
export function filterOf(args: CommandArguments, name: string): Expression {
  return parseFilter(args.doc(name) ?? new Doc());
}

/** The filter of a write, in the field `name`. Throws 40414 if it is missing or null. */
export function requiredFilterOf(args: CommandArguments, name: string): Expression {
  return parseFilter(args.requiredDoc(name));
}

export function sortOf(args: CommandArguments): KeyField[] {
  const sort = args.doc("sort");
  return sort && sort.size > 0 ? parseSort(sort) : [];
}

export function parseSort(sort: Doc): KeyField[] {
  if (sort.size > 32) throw new StoreError("BadValue", "too many compound keys in the sort");
  return parseKeyPattern(sort, "BadValue");
}

/** A query for the first match in the order of `sort`. */
export function firstOf(filter: Expression, sort: readonly KeyField[] = []): Query {
  return { filter, sort, skip: 0, limit: 1 };
}
