import type { Context } from "../context.ts";
import { definitionLimits } from "../definition-limits.ts";
import { type Place, quote, type Report } from "../diagnostics.ts";
import { NameTable } from "../names/name-table.ts";
import { checkName } from "../names/names.ts";
import { PlaceholderLog } from "../names/placeholder-log.ts";
import type { MapEntry, SyntaxNode } from "../yaml/syntax.ts";
import type { ResolvedType, TypeTable } from "./resolve-type.ts";
import { typeDefinition } from "./type-definitions.ts";

/**
 * Resolves custom types on demand, each once. They are expanded where they are used (without `$ref`, which model
 * providers treat differently), so depth and size are bounded here: types that each refer to the next one twice would
 * otherwise double with every level.
 */
export class CustomTypes implements TypeTable {
  readonly names: ReadonlySet<string>;
  readonly #entries: ReadonlyMap<string, MapEntry>;
  readonly #report: Report;
  readonly #resolved = new Map<string, ResolvedType | undefined>();
  readonly #open: string[] = [];

  constructor(entries: ReadonlyMap<string, MapEntry>, report: Report) {
    this.#entries = entries;
    this.#report = report;
    this.names = new Set(entries.keys());
  }

  resolve(name: string): ResolvedType | undefined {
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    if (this.#resolved.has(name)) return this.#resolved.get(name);
    if (this.#open.includes(name)) return this.#refuse("CIRCULAR_TYPE", entry.key, this.#circle(name));
    if (this.#open.length >= definitionLimits.typeDepth) return this.#tooLarge(entry.key, name);
    this.#open.push(name);
    const resolved = this.#bounded(name, entry);
    this.#open.pop();
    this.#resolved.set(name, resolved);
    return resolved;
  }

  /** Resolves the remaining types, so that unused ones are checked as well. */
  resolveAll(): void {
    for (const [name, { key }] of this.#entries) {
      checkName("type", name, key, this.#report);
      this.resolve(name);
    }
  }

  #bounded(name: string, { key, value }: MapEntry): ResolvedType | undefined {
    const resolved = typeDefinition.read(value, contextFor(this, this.#report));
    if (resolved === undefined) return undefined;
    const fits = resolved.nodes <= definitionLimits.typeNodes && resolved.depth <= definitionLimits.typeDepth;
    return fits ? resolved : this.#tooLarge(key, name);
  }

  #circle(name: string): string {
    const path = [...this.#open.slice(this.#open.indexOf(name)), name];
    return `Types must not contain themselves: ${path.join(" -> ")}.`;
  }

  #tooLarge(place: Place, name: string): undefined {
    const { typeDepth, typeNodes } = definitionLimits;
    const text = `The type ${quote(name)} is too large; the limit is ${typeDepth} levels and ${typeNodes} properties.`;
    return this.#refuse("LIMIT_EXCEEDED", place, text);
  }

  #refuse(code: "CIRCULAR_TYPE" | "LIMIT_EXCEEDED", place: Place, message: string): undefined {
    this.#report.add(code, place, message);
    return undefined;
  }
}

/** Types are read before anything else; they refer only to types. */
function contextFor(types: TypeTable, report: Report): Context {
  const names = { templates: new Map(), references: {}, names: noNames, scope: [] };
  const seen = { placeholders: new PlaceholderLog(), checkedValues: new Set<SyntaxNode>() };
  return { report, types, format: "interactive", slug: "", ...seen, ...names };
}

const noNames: Context["names"] = {
  prompts: new NameTable(),
  references: new NameTable(),
  tools: new NameTable(),
  workers: new NameTable(),
  mcpServers: new NameTable(),
  skills: new NameTable(),
  threads: new NameTable(),
  session: new NameTable(),
  triggers: new Map(),
  triggerOf: new Map(),
};
