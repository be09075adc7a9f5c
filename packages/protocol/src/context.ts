import type { Place, Report } from "./diagnostics.ts";
import { quote } from "./diagnostics.ts";
import type { Format } from "./program.ts";
import type { Template } from "./template.ts";
import type { TypeTable } from "./types.ts";

/**
 * What readers look names up in. All names are collected before anything is read, also those whose declaration
 * is wrong, so that one mistake is reported once and not at every use.
 */
export interface Context {
  readonly report: Report;
  readonly format: Format;
  readonly types: TypeTable;
  /** Templates by name; undefined for a prompt that has been reported. */
  readonly prompts: ReadonlyMap<string, Template | undefined>;
  readonly tools: ReadonlySet<string>;
  readonly input: ReadonlySet<string>;
  readonly variables: ReadonlySet<string>;
  /** Names of resources with whether they are read-only. */
  readonly resources: ReadonlyMap<string, boolean>;
  /** Threads that blocks may name. */
  readonly threads: ReadonlySet<string>;
  /** Everything that may be read here: the above and, in a handler, the input of its trigger. */
  readonly readable: ReadonlySet<string>;
  /** Names of the input of each trigger. */
  readonly triggerInputs: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Tells whether a variable may be read here, and reports it if not. */
export function checkReadable(name: string, place: Place, { report, readable }: Context): boolean {
  if (readable.has(name)) return true;
  const text = `${quote(name)} is not declared in input, variables, resources or the input of this trigger.`;
  report.add("UNDECLARED_VARIABLE", place, text, { name, among: readable });
  return false;
}
