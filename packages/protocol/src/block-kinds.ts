import type { Context } from "./context.ts";
import {
  defaulted,
  type Fields,
  notYet,
  optional,
  reportUnknownKeys,
  required,
  someKeys,
  type Values,
} from "./fields.ts";
import { argumentMapping, inputMapping } from "./input-mapping.ts";
import {
  newThreadName,
  outputName,
  promptName,
  resourceName,
  responseType,
  threadName,
  toolName,
  variableName,
} from "./name-readers.ts";
import type { Block, BlockKind, Display } from "./program.ts";
import { defined, wrongType } from "./readers.ts";
import type { Variant } from "./shapes.ts";
import type { SyntaxNode } from "./syntax.ts";
import { threadConfig, threadFields } from "./thread.ts";
import { checkTitle, display } from "./tools.ts";
import { flag, oneOf, text } from "./value-readers.ts";

const mainThread = "main";

export interface BlockIdentity {
  readonly id: string;
  readonly name: string;
}

/** One kind of block: what there is to say about it, and how it is read. */
export interface BlockKindEntry extends Variant {
  readonly defaultDisplay: Display;
  read(node: SyntaxNode, context: Context, identity: BlockIdentity): Block | undefined;
}

/** The kinds of blocks. A new kind is one entry here and one type in `program.ts`. */
const kinds: Partial<Readonly<Record<BlockKind, BlockKindEntry>>> = {
  "add-message": blockKind(
    "Adds a message to a thread.",
    "hidden",
    {
      role: required(oneOf("user", "assistant", "system"), "Who says it."),
      prompt: required(promptName, "The prompt that is its text."),
      input: defaulted(inputMapping, [], "The variables that fill the placeholders of the prompt."),
      files: notYet("Files in messages are"),
      visible: defaulted(flag, true, "false: the model reads it, and no client is shown it."),
      uiContent: optional(variableName, "The variable that clients are shown instead of the prompt's text."),
    },
    ({ role, prompt, input, visible, uiContent }) => {
      const shown = { visible, uiContent, files: [] };
      return defined({ kind: "add-message" as const, role, prompt: { ...prompt, input }, ...shown });
    },
  ),
  "next-message": blockKind(
    "Lets the model of a thread speak.",
    "stream",
    {
      responseType: optional(responseType, "The object type of the answer; without it the answer is text."),
      independent: defaulted(flag, false, "true: the answer does not join the main chat."),
      output: optional(outputName, "The variable that receives the answer."),
    },
    (values) => defined({ kind: "next-message" as const, ...values }),
  ),
  "tool-call": blockKind(
    "Calls a tool.",
    "description",
    {
      tool: required(toolName, "The declared tool."),
      input: defaulted(argumentMapping, [], "Its arguments: variables, or values as they are."),
      output: optional(outputName, "The variable that receives the result."),
    },
    (values) => defined({ kind: "tool-call" as const, ...values }),
  ),
  "set-resource": blockKind(
    "Stores the value of a variable in a resource.",
    "name",
    {
      resource: required(resourceName, "The resource that is written."),
      value: required(variableName, "The variable whose value is stored."),
    },
    (values) => ({ kind: "set-resource" as const, ...values }),
  ),
  "start-thread": blockKind(
    "Opens a named thread, or gives it a new configuration.",
    "hidden",
    { ...threadFields, thread: required(newThreadName, "The name of the thread.") },
    ({ thread, ...values }) => ({ kind: "start-thread" as const, thread, config: threadConfig(values) }),
  ),
};

export const blockKinds: ReadonlyMap<string, BlockKindEntry> = new Map(Object.entries(kinds));

type Common = "id" | "name" | "display" | "title" | "description" | "thread";
/** The part of a block that depends on its kind. */
type Specific = Block extends infer B
  ? B extends Block
    ? Omit<B, Common> & { readonly thread?: string }
    : never
  : never;

function commonFields(defaultDisplay: Display) {
  return {
    display: defaulted(display, defaultDisplay, "What clients are shown of the block."),
    title: optional(text, "What a client shows instead of the block's name."),
    description: optional(text, "What the block is for."),
    thread: defaulted(threadName, mainThread, "The thread that the block works on."),
  } satisfies Fields;
}

function blockKind<F extends Fields>(
  doc: string,
  defaultDisplay: Display,
  own: F,
  build: (values: Values<F>) => Specific,
): BlockKindEntry {
  const { thread, ...common } = commonFields(defaultDisplay);
  const shared = "thread" in own ? common : { ...common, thread };
  const [readShared, readOwn] = [someKeys(shared), someKeys(own)];
  const fields = { ...shared, ...own };
  const known = { block: true, ...fields };
  const read: BlockKindEntry["read"] = (node, context, identity) => {
    if (node.kind !== "map") return wrongType(node, context, "a block");
    reportUnknownKeys(node, known, context);
    const base = readShared(node, context);
    if (base !== undefined) checkTitle(base, node, context);
    const values = readOwn(node, context);
    return values && base && defined({ thread: mainThread, ...base, ...build(values), ...identity });
  };
  return { doc, defaultDisplay, fields, read };
}
