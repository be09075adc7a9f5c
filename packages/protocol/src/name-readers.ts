import { type Context, checkReadable } from "./context.ts";
import { type DiagnosticCode, quote } from "./diagnostics.ts";
import { isName, type NameKind, nameHint } from "./names.ts";
import type { NextMessageBlock } from "./program.ts";
import { type Reader, reader, wrongType } from "./readers.ts";
import type { SyntaxNode } from "./syntax.ts";
import type { Template } from "./template.ts";

/** A name of something declared; `find` looks it up and reports it when it is not there. */
function declaredName<T>(
  of: NameKind,
  what: string,
  find: (name: string, node: SyntaxNode, context: Context) => T | undefined,
): Reader<T> {
  return reader({ kind: "name", of, declared: true }, (node, context) => {
    const name = node.kind === "scalar" ? node.value : undefined;
    return typeof name === "string" ? find(name, node, context) : wrongType(node, context, what);
  });
}

function reportUnknown(
  code: DiagnosticCode,
  text: string,
  name: string,
  among: Iterable<string>,
  node: SyntaxNode,
  { report }: Context,
): undefined {
  report.add(code, node, text, { name, among });
  return undefined;
}

/** A name that is readable here. */
export const variableName = declaredName("variable", "the name of a variable", (name, node, context) =>
  checkReadable(name, node, context) ? name : undefined,
);

/** A variable that a block may write. */
export const outputName = declaredName("variable", "the name of a variable", (name, node, context) => {
  if (context.variables.has(name)) return name;
  const text = `Output goes into a variable of variables:, and ${quote(name)} is none.`;
  return reportUnknown("UNDECLARED_VARIABLE", text, name, context.variables, node, context);
});

/** A resource that may be written. */
export const resourceName = declaredName("variable", "the name of a resource", (name, node, context) => {
  const { report, resources } = context;
  if (resources.get(name) === false) return name;
  if (!resources.has(name)) {
    const text = `There is no resource ${quote(name)}.`;
    return reportUnknown("UNDECLARED_VARIABLE", text, name, resources.keys(), node, context);
  }
  report.add("READONLY_RESOURCE", node, `The resource ${quote(name)} is read-only.`);
  return undefined;
});

export interface FoundPrompt {
  readonly name: string;
  readonly template: Template;
}

/** A prompt by its name. */
export const promptName = declaredName<FoundPrompt>(
  "prompt",
  "the name of a prompt",
  (name, node, context) => {
    const { prompts } = context;
    if (!prompts.has(name)) {
      const text = `There is no prompt ${quote(name)}.`;
      return reportUnknown("UNKNOWN_PROMPT", text, name, prompts.keys(), node, context);
    }
    const template = prompts.get(name);
    return template && { name, template };
  },
);

/** A declared tool by its name. */
export const toolName = declaredName("tool", "the name of a tool", (name, node, context) => {
  if (context.tools.has(name)) return name;
  return reportUnknown(
    "UNKNOWN_TOOL",
    `There is no tool ${quote(name)}.`,
    name,
    context.tools,
    node,
    context,
  );
});

/** A thread that exists when the block runs. */
export const threadName = declaredName("thread", "the name of a thread", (name, node, context) => {
  if (context.threads.has(name)) return name;
  const text = `There is no thread ${quote(name)}.`;
  return reportUnknown("UNKNOWN_THREAD", text, name, context.threads, node, context);
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
  "the name of an object type",
  (name, node, context) => {
    const { types } = context;
    const resolved = types.resolve(name);
    if (resolved?.shape === "object") return { name, schema: resolved.schema };
    // A type that is there but wrong has been reported where it is declared.
    if (types.names.has(name) && resolved === undefined) return undefined;
    const text = `${quote(name)} is not an object type of types:.`;
    return reportUnknown("INVALID_RESPONSE_TYPE", text, name, types.names, node, context);
  },
);
