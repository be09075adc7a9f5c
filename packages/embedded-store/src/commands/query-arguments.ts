import { Doc } from "../bson/value.ts";
import type { Expression } from "../query/conjuncts.ts";
import type { Query } from "../query/cursor.ts";
import { parseSort } from "../query/key-pattern.ts";
import type { KeyField } from "../query/keys.ts";
import { parseFilter } from "../query/parse.ts";
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

/** The query of a `find`. */
export function findQuery(args: CommandArguments): Query {
  return {
    filter: filterOf(args, "filter"),
    sort: sortOf(args),
    skip: args.count("skip", 0),
    limit: args.count("limit", 0),
  };
}

/** A query for the first match in the order of `sort`. */
export function firstOf(filter: Expression, sort: readonly KeyField[] = []): Query {
  return { filter, sort, skip: 0, limit: 1 };
}
