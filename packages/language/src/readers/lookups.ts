import type { Context } from "../context.ts";
import { type DiagnosticCode, type Place, quote } from "../diagnostics.ts";
import type { Variable } from "../names/declared-names.ts";
import type { NameTable } from "../names/name-table.ts";
import { namesOf } from "../names/scope.ts";
import { mayFit } from "../types/may-fit.ts";
import { resolveType, type TypeUse } from "../types/resolve-type.ts";
import { scalarAt } from "../yaml/syntax.ts";

/** An unknown name, the tables that could have contained it, and their valid names. */
interface UnknownName {
  readonly name: string;
  readonly tables: ReadonlyArray<NameTable<unknown>>;
  /** Default: all names in the tables. */
  readonly among?: Iterable<string>;
}

/**
 * Reports a name that is in none of these tables. The closest name counts as used: the author means it, and a second
 * diagnostic for it would be about the same mistake.
 */
export function reportUnknownName(
  code: DiagnosticCode,
  text: string,
  { name, tables, among = namesOf(tables) }: UnknownName,
  place: Place,
  { report }: Context,
): undefined {
  const meant = report.add(code, place, text, { name, among });
  for (const table of tables) for (const candidate of meant) table.use(candidate);
  return undefined;
}

/** Looks up a variable that is read here, and reports it if it does not exist. */
export function useVariable(name: string, place: Place, context: Context): Variable | undefined {
  for (const table of context.scope) {
    const variable = table.use(name);
    if (variable !== undefined) return variable;
  }
  const text = `${quote(name)} ${whyUnreadable(name, context)}.`;
  return reportUnknownName("UNDECLARED_VARIABLE", text, { name, tables: context.scope }, place, context);
}

function whyUnreadable(name: string, { names, scope }: Context): string {
  const trigger = names.triggerOf.get(name);
  if (trigger !== undefined)
    return `is input of the trigger ${quote(trigger)}; only that trigger's handler can read it`;
  const sections =
    scope.length > 1
      ? "input, variables, resources or the input of this trigger"
      : "input, variables or resources";
  return `is not declared in ${sections}`;
}

/** The names that one section of the session declares. Lazy, like `namesOf`. */
export function* declaredIn(
  section: Variable["section"],
  { names: { session } }: Context,
): Generator<string> {
  for (const name of session.keys()) if (session.get(name)?.section === section) yield name;
}

/** The declared type of a variable; undefined if its declaration is invalid, which has been reported there. */
export function typeOf({ declaration }: Variable, { types }: Context): TypeUse | undefined {
  const written = scalarAt(declaration, "type");
  return typeof written === "string" ? resolveType(written, types) : undefined;
}

/** Returns whether a variable may have a value of one of these types, and reports it if that is impossible. */
export function checkType(
  name: string,
  variable: Variable,
  wanted: readonly string[],
  place: Place,
  context: Context,
): boolean {
  const type = typeOf(variable, context);
  if (type === undefined) return true;
  const fits = wanted.some((written) => {
    const target = resolveType(written, context.types);
    return target === undefined || mayFit(type, target, context.types);
  });
  if (fits) return true;
  const written = scalarAt(variable.declaration, "type");
  const text = `${quote(name)} has type ${written}, but this needs ${wanted.join(" or ")}.`;
  context.report.add("WRONG_TYPE", place, text);
  return false;
}
