import type { Compilation, CompileOptions } from "../../src/compile-definition.ts";
import { compileDefinition } from "../../src/compile-definition.ts";
import type { DiagnosticCode } from "../../src/diagnostics.ts";
import type { InteractiveProgram } from "../../src/program.ts";
import type { DefinitionSource } from "../../src/source.ts";

export const settings = { slug: "support", name: "Support", format: "interactive" } as const;

/** A valid definition that uses a bit of everything. */
export const protocol = `
input:
  COMPANY: { type: string, default: Acme }
  PLAN: { type: string, optional: true, enum: [free, pro] }
variables:
  SUMMARY: { type: string }
  TICKET: { type: Ticket }
types:
  Ticket:
    title: { type: string, description: What it is about }
    labels: { type: array, items: { type: string } }
    orders: { type: "Order[]", optional: true }
  Order: { id: { type: string } }
tools:
  get-account:
    description: Reads an account
    parameters:
      userId: { type: string }
      deep: { type: boolean, optional: true }
agent:
  model: demo/echo
  backupModel: demo/other
  system: system
  input: [COMPANY, { LEVEL: PLAN }]
  tools: [get-account]
  agentic: true
  maxSteps: 5
  temperature: off
triggers:
  user-message:
    input: { USER_MESSAGE: { type: string } }
handlers:
  user-message:
    Add the message: { block: add-message, role: user, prompt: user, input: [USER_MESSAGE] }
    Look up: { block: tool-call, tool: get-account, input: { userId: USER_MESSAGE, deep: true }, output: SUMMARY }
    Answer: { block: next-message, responseType: Ticket, output: TICKET }
`;

export const prompts = [
  { name: "system", content: 'You help {{COMPANY}}.{{#if LEVEL == "pro"}} {{@parts/pro.md}}{{/if}}' },
  { name: "user", content: "{{USER_MESSAGE}}" },
  { name: "parts/pro", content: "Be quick." },
];

/** Compiles the valid definition with some changes. */
export function compile(changes: Partial<DefinitionSource> = {}, options: CompileOptions = {}): Compilation {
  return compileDefinition({ settings, protocol, prompts, references: [], ...changes }, options);
}

/** The program of a definition of format interactive, which must be valid. */
export function programOf(changes: Partial<DefinitionSource> = {}): InteractiveProgram {
  const result = compile(changes);
  if (!result.ok) throw new Error(JSON.stringify(result.issues, null, 2));
  if (result.program.format !== "interactive") throw new Error("not interactive");
  return result.program;
}

/** Replaces a piece that must exist. */
export function replaced(text: string, piece: string, by: string): string {
  if (!text.includes(piece)) throw new Error(`not found: ${piece}`);
  return text.replace(piece, () => by);
}

export type Edit = readonly [piece: string, by: string];

/** The valid definition's protocol with pieces of it replaced. */
export function edited(...edits: readonly Edit[]): string {
  return edits.reduce((text, [piece, by]) => replaced(text, piece, by), protocol);
}

/** The same protocol with sections added before `agent:`, keys in it, and blocks at the end of the handler. */
export function extended({ sections = "", keys = "", blocks = "" }): string {
  return edited(["agent:\n", `${sections}agent:\n`], ["agentic: true\n", `agentic: true\n${keys}`]) + blocks;
}

export type Finding = readonly [code: DiagnosticCode, path: string];

/** The errors of the valid definition with some changes. */
export function errorsIn(changes: Partial<DefinitionSource>): Finding[] {
  const { issues } = compile(changes);
  return issues.filter(({ severity }) => severity === "error").map(({ code, path }) => [code, path]);
}
