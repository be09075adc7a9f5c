import type { CompileOptions } from "../compile.ts";
import type { DiagnosticCode } from "../diagnostics.ts";
import type { DefinitionSource } from "../source.ts";
import { type Edit, edited, prompts, protocol, replaced, settings } from "../testing.ts";

/** A definition and what is said of it. */
export interface Row {
  readonly source: DefinitionSource;
  readonly options?: CompileOptions;
  readonly path: string;
  readonly suggestions?: readonly string[];
  /** What cannot be left out of the way. */
  readonly also?: readonly DiagnosticCode[];
}

export type Near = Omit<Row, "path" | "suggestions">;

/** The right definition of `testing.ts` with something changed. */
export function source(changes: Partial<DefinitionSource> = {}): DefinitionSource {
  return { settings, protocol, prompts, references: [], ...changes };
}

/** The same with pieces of its protocol replaced. */
export function edit(...edits: readonly Edit[]): DefinitionSource {
  return source({ protocol: edited(...edits) });
}

/** With another system prompt, which also uses what is mapped for it. */
export function system(begin: string): DefinitionSource {
  const content = `${begin}{{#if LEVEL}}{{COMPANY}}{{/if}}`;
  return source({
    prompts: prompts.map((prompt) => (prompt.name === "system" ? { ...prompt, content } : prompt)),
  });
}

export const references = [{ name: "returns", description: "How goods are returned", content: "By post." }];
export const listed = replaced(
  protocol,
  "tools: [get-account]",
  "tools: [get-account]\n  references: [returns]",
);

export function withResource(resource: string): DefinitionSource {
  const block = "    Store: { block: set-resource, resource: STATE, value: SUMMARY }\n";
  const section = `resources: { STATE: ${resource} }\nagent:\n`;
  return source({ protocol: replaced(protocol + block, "agent:\n", section) });
}

export function withWorkers(slug: string, uses = "workers: [research]"): DefinitionSource {
  const section = `workers: { ${slug}: { description: Looks things up } }\nagent:\n`;
  return edit(["agent:\n", section], ["tools: [get-account]", `tools: [get-account]\n  ${uses}`]);
}

export const knowsModel = (id: string) => id.startsWith("demo/");
