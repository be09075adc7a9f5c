import type { Report } from "./diagnostics.ts";
import type { DeclaredNames } from "./names/declared-names.ts";
import type { PlaceholderLog } from "./names/placeholder-log.ts";
import type { Scope } from "./names/scope.ts";
import type { Format, ReferenceSpec } from "./program.ts";
import type { Template } from "./prompts/template.ts";
import type { TypeTable } from "./types/resolve-type.ts";
import type { SyntaxNode } from "./yaml/syntax.ts";

/** What readers look names up in. */
export interface Context {
  readonly report: Report;
  readonly format: Format;
  /** Of the definition itself. */
  readonly slug: string;
  readonly types: TypeTable;
  /** Prompts by name; undefined for one that has been reported. */
  readonly templates: ReadonlyMap<string, Template | undefined>;
  readonly references: Readonly<Record<string, ReferenceSpec>>;
  readonly names: DeclaredNames;
  readonly scope: Scope;
  readonly placeholders: PlaceholderLog;
  /** Declarations whose default and enum have been compared with what reads the variable. */
  readonly checkedValues: Set<SyntaxNode>;
  /** The model catalog: whether it knows an id, and the ids to suggest. */
  readonly models?: { knows(id: string): boolean; readonly ids: Iterable<string> } | undefined;
}
