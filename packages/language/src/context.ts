import type { Report } from "./diagnostics.ts";
import type { DeclaredNames } from "./names/declared-names.ts";
import type { PlaceholderLog } from "./names/placeholder-log.ts";
import type { Scope } from "./names/scope.ts";
import type { Format, ModelSetting, ReferenceSpec } from "./program.ts";
import type { Template } from "./prompts/template.ts";
import type { TypeTable } from "./types/resolve-type.ts";
import type { SyntaxNode } from "./yaml/syntax.ts";

/** The tables in which readers look up names. */
export interface Context {
  readonly report: Report;
  readonly format: Format;
  /** The definition's own slug. */
  readonly slug: string;
  readonly types: TypeTable;
  /** Prompts by name; undefined for a prompt that has been reported. */
  readonly templates: ReadonlyMap<string, Template | undefined>;
  readonly references: Readonly<Record<string, ReferenceSpec>>;
  readonly names: DeclaredNames;
  readonly scope: Scope;
  /** The model of `agent:`, which start-thread blocks have without one of their own. Undefined if it is invalid. */
  readonly agentModel?: ModelSetting | undefined;
  readonly placeholders: PlaceholderLog;
  /** Declarations whose default and enum have been checked against the variable's readers. */
  readonly checkedValues: Set<SyntaxNode>;
  /** The model catalog: whether it has an id, and the ids to suggest. */
  readonly models?: { knows(id: string): boolean; readonly ids: Iterable<string> } | undefined;
  /** The slugs of the project's registered MCP servers. Undefined: they are not known. */
  readonly mcpServers?: readonly string[] | undefined;
}
