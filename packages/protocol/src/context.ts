import type { PlaceholderLog } from "./checks/placeholders.ts";
import type { Place, Report } from "./diagnostics.ts";
import type { NameTable } from "./names/name-table.ts";
import type { Format, ReferenceSpec } from "./program.ts";
import type { Template } from "./prompts/template.ts";
import type { TypeTable } from "./types/types.ts";
import type { MapEntry, MapNode, SyntaxNode } from "./yaml/syntax.ts";

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
  /** What may be read here, innermost first: in a handler the input of its trigger comes before the session's. */
  readonly scope: ReadonlyArray<NameTable<Variable>>;
  readonly placeholders: PlaceholderLog;
  /** Declarations whose default and enum have been compared with what reads the variable. */
  readonly checkedValues: Set<SyntaxNode>;
  /** The model catalog: whether it knows an id, and the ids to suggest. */
  readonly models?: { knows(id: string): boolean; readonly ids: Iterable<string> } | undefined;
}

/**
 * All names are collected before anything is read, also those whose declaration is wrong, so that one mistake is
 * reported once and not at every use.
 */
export interface DeclaredNames {
  readonly prompts: NameTable<Place>;
  readonly references: NameTable<Place>;
  readonly tools: NameTable<MapEntry>;
  readonly workers: NameTable<MapEntry>;
  readonly mcpServers: NameTable<MapEntry>;
  readonly skills: NameTable<MapEntry>;
  readonly threads: NameTable<ThreadOpening>;
  /** `input`, `variables` and `resources`. */
  readonly session: NameTable<Variable>;
  /** The input of each trigger. */
  readonly triggers: ReadonlyMap<string, NameTable<Variable>>;
  /** For each name of such input the first trigger that has it. */
  readonly triggerOf: ReadonlyMap<string, string>;
}

export interface Variable {
  readonly section: "input" | "variables" | "resources" | "trigger";
  /** Place of the name. */
  readonly key: Place;
  readonly declaration: SyntaxNode;
}

export interface ThreadOpening {
  /** Whatever configures the thread: `agent:` or start-thread blocks. */
  readonly configs: readonly MapNode[];
  /** The index of the first block that opens it, by handler or `steps`; of `main` also `agent`. */
  readonly openedBy: ReadonlyMap<string, number>;
}
