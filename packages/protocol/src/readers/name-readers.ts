import type { Context, DeclaredNames, Variable } from "../context.ts";
import { type DiagnosticCode, quote } from "../diagnostics.ts";
import { checkType, declaredIn, reportUnknownName, useVariable } from "../names/lookups.ts";
import type { NameTable } from "../names/name-table.ts";
import { checkName, type NameKind } from "../names/names.ts";
import type { NextMessageBlock } from "../program.ts";
import type { Template } from "../prompts/template.ts";
import type { TypeTable } from "../types/types.ts";
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
  list: Exclude<keyof DeclaredNames, "triggers" | "triggerOf">,
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

const declaredTool = nameIn("tools", "tool", "tool", "UNKNOWN_TOOL");

/** A declared tool. Those of the platform are listed nowhere: keys such as webSearch bring them. */
export const toolName: Reader<string> = reader(declaredTool.shape, (node, context) => {
  const name = node.kind === "scalar" ? node.value : undefined;
  if (typeof name !== "string" || !name.startsWith("platform_") || context.names.tools.has(name))
    return declaredTool.read(node, context);
  const text =
    `There is no tool ${quote(name)}. The platform's own are named nowhere: ` +
    "keys such as references, todoList and webSearch give them to the model.";
  context.report.add("UNKNOWN_TOOL", node, text);
  return undefined;
});
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
    const variable = ownVariable(name, "output goes into", node, context);
    if (variable === undefined) return undefined;
    const { session } = context.names;
    // Clients of a conversation read its variables; of a worker they see what it returns, and no more.
    if (context.format === "interactive") session.use(name);
    session.write(name);
    if (isReadonly(variable, node, name, context)) return undefined;
    return types.length === 0 || checkType(name, variable, types, node, context) ? name : undefined;
  });
}

/** The variable that a worker returns, which is a way of reading it. */
export const returnedName = declaredName("variable", "a variable", (name, node, context) => {
  const variable = ownVariable(name, "a worker returns", node, context);
  return variable && context.names.session.use(name) && name;
});

/** One of `variables:`; `purpose` is what it is wanted for. */
function ownVariable(
  name: string,
  purpose: string,
  node: SyntaxNode,
  context: Context,
): Variable | undefined {
  const { session } = context.names;
  const variable = session.get(name);
  if (variable?.section === "variables") return variable;
  const text = `${whatIs(name, context)}; ${purpose} one of variables.`;
  const unknown = { name, tables: [session], among: declaredIn("variables", context) };
  return reportUnknownName("UNDECLARED_VARIABLE", text, unknown, node, context);
}

function whatIs(name: string, { names: { session, triggerOf } }: Context): string {
  const section = session.get(name)?.section;
  if (section === "input" || (section === undefined && triggerOf.has(name)))
    return `${quote(name)} is input, which never changes`;
  if (section === "variables") return `${quote(name)} is a variable`;
  return section === undefined ? `There is no ${quote(name)}` : `${quote(name)} is a resource`;
}

/** Reports it, when it is. */
function isReadonly(
  { declaration, section }: Variable,
  node: SyntaxNode,
  name: string,
  { report }: Context,
): boolean {
  if (scalarAt(declaration, "readonly") !== true) return false;
  const what = section === "resources" ? "resource" : "variable";
  report.add(
    "READONLY_RESOURCE",
    node,
    `The ${what} ${quote(name)} is declared readonly, so no block may write it.`,
  );
  return true;
}

export const outputName = outputOf();

/** A resource that may be written. Clients see each write. */
export const resourceName = declaredName("variable", "a resource", (name, node, context) => {
  const { session } = context.names;
  const resource = session.get(name);
  if (resource?.section !== "resources") {
    const text = `${whatIs(name, context)}; set-resource writes one of resources.`;
    const unknown = { name, tables: [session], among: declaredIn("resources", context) };
    return reportUnknownName("UNDECLARED_VARIABLE", text, unknown, node, context);
  }
  session.use(name);
  session.write(name);
  return isReadonly(resource, node, name, context) ? undefined : name;
});

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
    // A type that is there but wrong has been reported where it is declared.
    if (types.names.has(name) && resolved === undefined) return undefined;
    const what = resolved?.shape === undefined ? "no type of types" : `${article(resolved.shape)} type`;
    const text = `An answer is an object: ${quote(name)} is ${what}, and responseType needs an object type of types.`;
    report.add("INVALID_RESPONSE_TYPE", node, text, { name, among: objectTypes(types) });
    return undefined;
  },
);

function article(shape: "array" | "union"): string {
  return `${shape === "array" ? "an" : "a"} ${shape}`;
}

function* objectTypes(types: TypeTable): Generator<string> {
  for (const name of types.names) if (types.resolve(name)?.shape === "object") yield name;
}
