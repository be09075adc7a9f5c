import type { Context } from "../context.ts";
import { type DiagnosticCode, quote } from "../diagnostics.ts";
import type { DeclaredNames } from "../names/declared-names.ts";
import type { NameTable } from "../names/name-table.ts";
import { checkName, type NameKind, respelled } from "../names/names.ts";
import type { NextMessageBlock } from "../program.ts";
import type { Template } from "../prompts/template.ts";
import type { TypeTable } from "../types/resolve-type.ts";
import type { SyntaxNode } from "../yaml/syntax.ts";
import { checkType, reportUnknownName, useVariable } from "./lookups.ts";
import { type Reader, reader, wrongType } from "./readers.ts";

/** A declared name; `find` looks it up and reports it if it is unknown. */
export function declaredName<T>(
  of: NameKind,
  what: string,
  find: (name: string, node: SyntaxNode, context: Context) => T | undefined,
): Reader<T> {
  return reader({ kind: "name", of, declared: true }, (node, context) => {
    const name = node.kind === "scalar" ? node.value : undefined;
    return typeof name === "string"
      ? find(name, node, context)
      : wrongType(node, context, `the name of ${what}`);
  });
}

/** A name that must be in one of the tables. */
function nameIn(
  list: Exclude<keyof DeclaredNames, "triggers" | "triggerOf">,
  of: NameKind,
  what: string,
  code: DiagnosticCode,
  problem = (quoted: string) => `The ${what} ${quoted} is not declared in ${list}.`,
): Reader<string> {
  return declaredName(of, article(what), (name, node, context) => {
    const table: NameTable<unknown> = context.names[list];
    if (table.use(name) !== undefined) return name;
    if (useMisspelt(table, of, name)) return undefined;
    return reportUnknownName(code, problem(quote(name)), { name, tables: [table] }, node, context);
  });
}

/** The diagnostic for a declaration in another style suggests exactly this name, so its use is already correct. */
function useMisspelt(table: NameTable<unknown>, kind: NameKind, name: string): boolean {
  const declared = table.spelt(name, (each) => respelled(kind, each));
  return declared !== undefined && table.use(declared) !== undefined;
}

const missing = (what: string) => (quoted: string) => `There is no ${what} ${quoted}.`;

const declaredTool = nameIn("tools", "tool", "tool", "UNKNOWN_TOOL");

/** A declared tool. Platform tools are not listed: keys such as webSearch enable them. */
export const toolName: Reader<string> = reader(declaredTool.shape, (node, context) => {
  const name = node.kind === "scalar" ? node.value : undefined;
  if (typeof name !== "string" || !name.startsWith("platform_") || context.names.tools.has(name))
    return declaredTool.read(node, context);
  const text =
    `The platform tool ${quote(name)} cannot be listed. ` +
    "Keys such as references, todoList and webSearch give the model the platform's tools.";
  context.report.add("UNKNOWN_TOOL", node, text);
  return undefined;
});
export const workerName = nameIn("workers", "worker", "worker", "UNKNOWN_WORKER");
export const mcpServerName = nameIn("mcpServers", "namespace", "MCP server", "UNKNOWN_MCP_SERVER");
export const skillName = nameIn("skills", "skill", "skill", "UNKNOWN_SKILL");
export const referenceName = nameIn(
  "references",
  "reference",
  "reference",
  "UNKNOWN_REFERENCE",
  missing("reference"),
);
/** A thread that some block or `agent` opens. */
export const threadName = nameIn(
  "threads",
  "thread",
  "thread",
  "UNKNOWN_THREAD",
  (quoted) => `No start-thread block opens the thread ${quoted}.`,
);

export interface FoundPrompt {
  readonly name: string;
  readonly template: Template;
}

const knownPrompt = nameIn("prompts", "prompt", "prompt", "UNKNOWN_PROMPT", missing("prompt"));

/** Reports text that was written where the name of a prompt belongs. */
function isPromptText(node: SyntaxNode, { names, report }: Context): boolean {
  const text = node.kind === "scalar" ? node.value : undefined;
  if (typeof text !== "string" || !/\s/.test(text.trim()) || names.prompts.has(text)) return false;
  const message =
    "This must be the name of a prompt, not its text. " +
    "Move the text into a file such as prompts/system.md, and write its name here: system.";
  report.add("UNKNOWN_PROMPT", node, message);
  return true;
}

/** A prompt by its name. */
export const promptName: Reader<FoundPrompt> = reader(knownPrompt.shape, (node, context) => {
  if (isPromptText(node, context)) return undefined;
  const name = knownPrompt.read(node, context);
  // An invalid prompt has been reported.
  const template = name === undefined ? undefined : context.templates.get(name);
  return name === undefined || template === undefined ? undefined : { name, template };
});

/** A variable that can be read here and may have one of these types; any type if none is listed. */
export function variableOf(...types: string[]): Reader<string> {
  return declaredName("variable", "a variable", (name, node, context) => {
    const variable = useVariable(name, node, context);
    if (variable === undefined) return undefined;
    return types.length === 0 || checkType(name, variable, types, node, context) ? name : undefined;
  });
}

export const variableName = variableOf();
export const fileVariable = variableOf("file", "file[]");

/** The name of a thread that a block opens. */
export const newThreadName: Reader<string> = reader(
  { kind: "name", of: "thread", declared: false },
  (node, context) => {
    const name = node.kind === "scalar" ? node.value : undefined;
    if (typeof name !== "string") return wrongType(node, context, "the name of a thread");
    return checkName("thread", name, node, context.report, "The thread") ? name : undefined;
  },
);

/** A type whose values a model can be asked for. */
export const responseType = declaredName<NonNullable<NextMessageBlock["responseType"]>>(
  "type",
  "an object type",
  (name, node, { types, report }) => {
    const resolved = types.resolve(name);
    if (resolved?.shape === "object") return { name, schema: resolved.schema };
    // An invalid type has been reported where it is declared.
    if (types.names.has(name) && resolved === undefined) return undefined;
    const what = resolved?.shape === undefined ? "is not one" : `is ${article(resolved.shape)} type`;
    const text = `responseType needs an object type declared in types; ${quote(name)} ${what}.`;
    report.add("INVALID_RESPONSE_TYPE", node, text, { name, among: objectTypes(types) });
    return undefined;
  },
);

/** By sound: "an MCP server", but "a union". */
function article(noun: string): string {
  return `${/^(?:MCP|[aeio])/.test(noun) ? "an" : "a"} ${noun}`;
}

function* objectTypes(types: TypeTable): Generator<string> {
  for (const name of types.names) if (types.resolve(name)?.shape === "object") yield name;
}
