import type { CompileOptions } from "../../src/compile-definition.ts";
import type { DiagnosticCode } from "../../src/diagnostics.ts";
import type { DefinitionSource } from "../../src/source.ts";
import { type Edit, edited, prompts, protocol, replaced, settings } from "./support-chat.ts";

/** A definition and its diagnostics. */
export interface Row {
  readonly source: DefinitionSource;
  readonly options?: CompileOptions;
  readonly path: string;
  readonly suggestions?: readonly string[];
  /** The parts that cannot be omitted. */
  readonly also?: readonly DiagnosticCode[];
}

export type Near = Omit<Row, "path" | "suggestions">;

/** The valid definition of `testing.ts` with some changes. */
export function source(changes: Partial<DefinitionSource> = {}): DefinitionSource {
  return { settings, protocol, prompts, references: [], ...changes };
}

/** The same definition with pieces of its protocol replaced. */
export function edit(...edits: readonly Edit[]): DefinitionSource {
  return source({ protocol: edited(...edits) });
}

/** The same definition with another system prompt, which also uses the variables mapped for it. */
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

/** With a rule for tools of the computer. */
export function withFiles(pattern: string): DefinitionSource {
  const rules = `{ "${pattern}": { approval: ask } }`;
  return edit([
    "agent:\n",
    `mcpServers: { files: { description: F, source: device, tools: ${rules} } }\nagent:\n`,
  ]);
}

/** With a remote MCP server that the agent uses. */
export const withRemoteServer = edit(
  ["agent:\n", "mcpServers: { issues: { description: I, source: remote } }\nagent:\n"],
  ["tools: [get-account]", "tools: [get-account]\n  mcpServers: [issues]"],
);

export const knowsModel = (id: string) => id.startsWith("demo/");
