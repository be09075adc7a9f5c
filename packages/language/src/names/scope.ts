import type { Variable } from "./declared-names.ts";
import type { NameTable } from "./name-table.ts";

/** The variables that can be read at one place, innermost first: a trigger's input precedes the session's names. */
export type Scope = ReadonlyArray<NameTable<Variable>>;

/** Finds a variable without marking it as used. */
export function findVariable(name: string, scope: Scope): Variable | undefined {
  for (const table of scope) {
    const variable = table.get(name);
    if (variable !== undefined) return variable;
  }
  return undefined;
}

/** The names in all these tables. Lazy, because a comparison stops after the first few hundred. */
export function* namesOf(tables: ReadonlyArray<NameTable<unknown>>): Generator<string> {
  for (const table of tables) yield* table.keys();
}
