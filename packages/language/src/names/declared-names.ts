import type { Place } from "../diagnostics.ts";
import type { MapEntry, MapNode, SyntaxNode } from "../yaml/syntax.ts";
import type { NameTable } from "./name-table.ts";

/**
 * All names are collected before anything is read, even those with an invalid declaration, so that a mistake is
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
  /** For each name in such input, the first trigger that has it. */
  readonly triggerOf: ReadonlyMap<string, string>;
}

export interface Variable {
  readonly section: "input" | "variables" | "resources" | "trigger";
  /** Place of the name. */
  readonly key: Place;
  readonly declaration: SyntaxNode;
}

export interface ThreadOpening {
  /** The configurations of the thread: `agent:` or start-thread blocks. */
  readonly configs: readonly MapNode[];
  /** The index of the first block that opens it, by handler or `steps`; for `main` also `agent`. */
  readonly openedBy: ReadonlyMap<string, number>;
}
