import type { Context, DeclaredNames } from "../context.ts";
import { type DiagnosticCode, quote } from "../diagnostics.ts";
import { checkType, reportUnknownName, useVariable } from "../names/lookups.ts";
import type { NameTable } from "../names/name-table.ts";
import { isName, type NameKind, nameHint } from "../names/names.ts";
import type { NextMessageBlock } from "../program.ts";
import type { Template } from "../prompts/template.ts";
import { type SyntaxNode, scalarAt } from "../yaml/syntax.ts";
import { type Reader, reader, wrongType } from "./readers.ts";

/** A name of something declared; `find` looks it up and reports it when it is not there. */
function declaredName<T>(
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
  list: Exclude<keyof DeclaredNames, "triggers">,
  of: NameKind,
  what: string,
  code: DiagnosticCode,
): Reader<string> {
  return declaredName(of, `a ${what}`, (name, node, context) => {
    const table: NameTable<unknown> = context.names[list];
    if (table.use(name) !== undefined) return name;
    return reportUnknownName(
      code,
      `There is no ${what} ${quote(name)}.`,
      { name, tables: [table] },
      node,
      context,
    );
  });
}

export const toolName = nameIn("tools", "tool", "tool", "UNKNOWN_TOOL");
export const workerName = nameIn("workers", "worker", "worker", "UNKNOWN_WORKER");
export const mcpServerName = nameIn("mcpServers", "namespace", "MCP server", "UNKNOWN_MCP_SERVER");
export const skillName = nameIn("skills", "skill", "skill", "UNKNOWN_SKILL");
export const referenceName = nameIn("references", "reference", "reference", "UNKNOWN_REFERENCE");
/** A thread that some block or `agent` opens. */
export const threadName = nameIn("threads", "thread", "thread", "UNKNOWN_THREAD");

export interface FoundPrompt {
  readonly name: string;
  readonly template: Template;
}

const knownPrompt = nameIn("prompts", "prompt", "prompt", "UNKNOWN_PROMPT");

/** A prompt by its name. */
export const promptName: Reader<FoundPrompt> = reader(knownPrompt.shape, (node, context) => {
  const name = knownPrompt.read(node, context);
  // A prompt that is wrong has been reported.
  const template = name === undefined ? undefined : context.templates.get(name);
  return name === undefined || template === undefined ? undefined : { name, template };
});

/** A variable that is readable here and that may be of one of these types; without any, of all. */
export function variableOf(...types: string[]): Reader<string> {
  return declaredName("variable", "a variable", (name, node, context) => {
    const variable = useVariable(name, node, context);
    if (variable === undefined) return undefined;
    return types.length === 0 || checkType(name, variable, types, node, context) ? name : undefined;
  });
}

export const variableName = variableOf();
export const fileVariable = variableOf("file", "file[]");

/** A variable that a block may write, whose type the value may fit; without `types`, any value. */
export function outputOf(...types: string[]): Reader<string> {
  return declaredName("variable", "a variable", (name, node, context) => {
    const { session } = context.names;
    const variable = session.get(name);
    if (variable?.section !== "variables") {
      const text = `Output goes into a variable of variables:, and ${quote(name)} is none.`;
      return reportUnknownName("UNDECLARED_VARIABLE", text, { name, tables: [session] }, node, context);
    }
    // Clients of a conversation read its variables; of a worker they see what it returns, and no more.
    if (context.format === "interactive") session.use(name);
    return types.length === 0 || checkType(name, variable, types, node, context) ? name : undefined;
  });
}

export const outputName = outputOf();

/** A resource that may be written. Clients see each write. */
export const resourceName = declaredName("variable", "a resource", (name, node, context) => {
  const { session } = context.names;
  const resource = session.get(name);
  if (resource?.section !== "resources") {
    const text = `There is no resource ${quote(name)}.`;
    return reportUnknownName("UNDECLARED_VARIABLE", text, { name, tables: [session] }, node, context);
  }
  session.use(name);
  if (scalarAt(resource.declaration, "readonly") !== true) return name;
  context.report.add("READONLY_RESOURCE", node, `The resource ${quote(name)} is read-only.`);
  return undefined;
});

/** The name of a thread that a block opens. */
export const newThreadName: Reader<string> = reader(
  { kind: "name", of: "thread", declared: false },
  (node, context) => {
    const name = node.kind === "scalar" ? node.value : undefined;
    if (typeof name !== "string") return wrongType(node, context, "the name of a thread");
    if (isName("thread", name)) return name;
    context.report.add("INVALID_NAME", node, `The thread ${quote(name)} must be ${nameHint("thread")}.`);
    return undefined;
  },
);

/** A type whose values a model can be asked for. */
export const responseType = declaredName<NonNullable<NextMessageBlock["responseType"]>>(
  "type",
  "an object type",
  (name, node, { types, report }) => {
    const resolved = types.resolve(name);
    if (resolved?.shape === "object") return { name, schema: resolved.schema };
    // A type that is there but wrong has been reported where it is declared.
    if (types.names.has(name) && resolved === undefined) return undefined;
    const text = `${quote(name)} is not an object type of types:.`;
    report.add("INVALID_RESPONSE_TYPE", node, text, { name, among: types.names });
    return undefined;
  },
);
