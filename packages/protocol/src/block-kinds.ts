import type { Context } from "./context.ts";
import { quote } from "./diagnostics.ts";
import { argumentMapping, inputMapping, variableName } from "./input-mapping.ts";
import { isName, nameHint } from "./names.ts";
import type { Block, BlockKind, Display, NextMessageBlock } from "./program.ts";
import {
  defaulted,
  defined,
  type Fields,
  notYet,
  object,
  optional,
  type Reader,
  reportUnknownKeys,
  required,
  someKeys,
  type Values,
  wrongType,
} from "./readers.ts";
import type { MapNode, SyntaxNode } from "./syntax.ts";
import { promptName, promptUse, threadConfig, threadFields, toolName } from "./thread.ts";
import { checkTitle, display } from "./tools.ts";
import { flag, oneOf, text } from "./value-readers.ts";

const mainThread = "main";

interface Identity {
  readonly id: string;
  readonly name: string;
}

type BlockReader = (node: SyntaxNode, context: Context, identity: Identity) => Block | undefined;

/** A thread that exists when the block runs. */
const threadName: Reader<string> = (node, context) => {
  const name = node.kind === "scalar" ? node.value : undefined;
  if (typeof name !== "string") return wrongType(node, context, "the name of a thread");
  if (context.threads.has(name)) return name;
  const known = { name, among: context.threads };
  context.report.add("UNKNOWN_THREAD", node, `There is no thread ${quote(name)}.`, known);
  return undefined;
};

const newThreadName: Reader<string> = (node, context) => {
  const name = node.kind === "scalar" ? node.value : undefined;
  if (typeof name !== "string") return wrongType(node, context, "the name of a thread");
  if (isName("thread", name)) return name;
  context.report.add("INVALID_NAME", node, `The thread ${quote(name)} must be ${nameHint("thread")}.`);
  return undefined;
};

/** A variable that a block may write. */
export const outputName: Reader<string> = (node, context) => {
  const name = node.kind === "scalar" ? node.value : undefined;
  if (typeof name !== "string") return wrongType(node, context, "the name of a variable");
  if (context.variables.has(name)) return name;
  const text = `Output goes into a variable of variables:, and ${quote(name)} is none.`;
  context.report.add("UNDECLARED_VARIABLE", node, text, { name, among: context.variables });
  return undefined;
};

const resourceName: Reader<string> = (node, context) => {
  const { report, resources } = context;
  const name = node.kind === "scalar" ? node.value : undefined;
  if (typeof name !== "string") return wrongType(node, context, "the name of a resource");
  if (resources.get(name) === false) return name;
  if (resources.has(name)) report.add("READONLY_RESOURCE", node, `The resource ${quote(name)} is read-only.`);
  else
    report.add("UNDECLARED_VARIABLE", node, `There is no resource ${quote(name)}.`, {
      name,
      among: resources.keys(),
    });
  return undefined;
};

const responseType: Reader<NonNullable<NextMessageBlock["responseType"]>> = (node, context) => {
  const { report, types } = context;
  const name = node.kind === "scalar" ? node.value : undefined;
  if (typeof name !== "string") return wrongType(node, context, "the name of an object type");
  const resolved = types.resolve(name);
  if (resolved?.shape === "object") return { name, schema: resolved.schema };
  // A type that is there but wrong has been reported where it is declared.
  if (types.names.has(name) && resolved === undefined) return undefined;
  const known = { name, among: types.names };
  report.add("INVALID_RESPONSE_TYPE", node, `${quote(name)} is not an object type of types:.`, known);
  return undefined;
};

const common = {
  block: required(text),
  display: optional(display),
  title: optional(text),
  description: optional(text),
  thread: defaulted(threadName, mainThread),
} satisfies Fields;

/**
 * The kinds of blocks that run: their keys beside the common ones, how they show by default, and how the values
 * become a block. A new kind is one entry here and one type in `program.ts`.
 */
const kinds: Partial<Readonly<Record<BlockKind, BlockReader>>> = {
  "add-message": blockKind(
    "hidden",
    {
      role: required(oneOf("user", "assistant", "system")),
      prompt: required(promptName),
      input: defaulted(inputMapping, []),
      files: notYet("Files in messages are"),
      visible: defaulted(flag, true),
      uiContent: optional(variableName),
    },
    ({ role, prompt, input, visible, uiContent }) =>
      defined({
        kind: "add-message" as const,
        role,
        prompt: promptUse(prompt, input),
        visible,
        uiContent,
        files: [],
      }),
  ),
  "next-message": blockKind(
    "stream",
    {
      responseType: optional(responseType),
      independent: defaulted(flag, false),
      output: optional(outputName),
    },
    (values) => defined({ kind: "next-message" as const, ...values }),
  ),
  "tool-call": blockKind(
    "description",
    { tool: required(toolName), input: defaulted(argumentMapping, []), output: optional(outputName) },
    (values) => defined({ kind: "tool-call" as const, ...values }),
  ),
  "set-resource": blockKind(
    "name",
    { resource: required(resourceName), value: required(variableName) },
    (values) => ({ kind: "set-resource" as const, ...values }),
  ),
  "start-thread": startThread,
};

export const blockReaders: ReadonlyMap<string, BlockReader> = new Map(Object.entries(kinds));

type Common = "id" | "name" | "display" | "title" | "description" | "thread";
/** The part of a block that depends on its kind. */
type Specific = Block extends infer B ? (B extends Block ? Omit<B, Common> : never) : never;

function blockKind<F extends Fields>(
  defaultDisplay: Display,
  fields: F,
  build: (values: Values<F>) => Specific,
): BlockReader {
  const known = { ...common, ...fields };
  return (node, context, identity) => {
    if (node.kind !== "map") return wrongType(node, context, "a block");
    reportUnknownKeys(node, known, context);
    const base = readCommon(node, context, identity, defaultDisplay);
    const values = someKeys(fields)(node, context);
    return values && base && { ...build(values), ...base };
  };
}

function readCommon(node: MapNode, context: Context, identity: Identity, defaultDisplay: Display) {
  const values = someKeys(common)(node, context);
  if (values === undefined) return undefined;
  checkTitle(values, node, context);
  const { display = defaultDisplay, title, description, thread } = values;
  return { ...identity, display, thread, ...defined({ title, description }) };
}

const startThreadFields = { ...common, ...threadFields, thread: required(newThreadName) };

/** Worker programs open all their threads themselves; in interactive ones named threads do not run yet. */
function startThread(node: SyntaxNode, context: Context, identity: Identity): Block | undefined {
  if (context.format === "interactive") {
    context.report.add(
      "NOT_AVAILABLE",
      node,
      "Named threads are not available on this server yet. Remove this block.",
    );
    return undefined;
  }
  const values = object(startThreadFields)(node, context);
  if (values === undefined) return undefined;
  const { display = "hidden", title, description, thread } = values;
  const base = { ...identity, display, thread, ...defined({ title, description }) };
  return { kind: "start-thread", config: threadConfig(values), ...base };
}
