import { blocksNotRunYet, isRunYet } from "../availability.ts";
import type { Context } from "../context.ts";
import { quote } from "../diagnostics.ts";
import type { Variant } from "../grammar/shapes.ts";
import type { Block, Display } from "../program.ts";
import {
  defaulted,
  type Fields,
  optional,
  reportUnknownKeys,
  someKeys,
  type Values,
} from "../readers/fields.ts";
import { inputMapping } from "../readers/input-mapping.ts";
import { threadName, variableName } from "../readers/name-readers.ts";
import { defined, wrongType } from "../readers/readers.ts";
import { text } from "../readers/value-readers.ts";
import { reportNotAvailable } from "../sections/report-not-available.ts";
import { checkTitle, display } from "../sections/tools.ts";
import { type MapNode, placeOf, type SyntaxNode } from "../yaml/syntax.ts";

const mainThread = "main";

export interface BlockIdentity {
  readonly id: string;
  readonly name: string;
}

/**
 * The use that a block makes of the messages of its thread: none; it adds one; it reads all of them; or it calls the
 * thread's model, which answers those that it sees.
 */
export type ThreadUse = "none" | "adds" | "reads" | "answers";

/** One kind of block: its documentation, its keys and its reader. */
export interface BlockKindEntry extends Variant {
  readonly defaultDisplay: Display;
  readonly threadUse: ThreadUse;
  read(node: SyntaxNode, context: Context, identity: BlockIdentity): Block | undefined;
}

type Common = "id" | "name" | "display" | "title" | "description" | "thread";
/** The part of a block that depends on its kind. */
type Specific<B extends Block> = B extends Block ? Omit<B, Common> & { readonly thread?: string } : never;

interface Definition<F extends Fields> {
  readonly doc: string;
  readonly display: Display;
  readonly threadUse: ThreadUse;
  /** The keys in addition to the common ones. `thread` may be among them with another meaning. */
  readonly fields: F;
  /** Checks the keys against each other. Runs if each is valid on its own. */
  readonly check?: (values: Values<F>, node: MapNode, context: Context) => void;
  /** Like `check`, but also runs if a key is invalid. */
  readonly checkSyntax?: (node: MapNode, context: Context) => void;
  /** Returns undefined if a key that it takes from elsewhere is invalid there, where it has been reported. */
  readonly build: (values: Values<F>, site: BlockSite) => Specific<Block> | undefined;
}

interface BlockSite {
  readonly node: MapNode;
  readonly name: string;
  readonly context: Context;
}

/** Keys that every block accepts, although only kinds with a field of that name use them. */
const acceptedFields: Fields = {
  input: optional(inputMapping, "Has no effect in this kind of block."),
  output: optional(variableName, "Has no effect in this kind of block."),
};

function reportIgnored(node: MapNode, ignored: Fields, { report }: Context): void {
  for (const key of Object.keys(ignored)) {
    const entry = node.entries.get(key);
    if (entry === undefined) continue;
    report.add("UNUSED_MAPPING", entry.key, `${quote(key)} has no effect in this kind of block.`);
  }
}

function commonFields(defaultDisplay: Display) {
  return {
    display: defaulted(display, defaultDisplay, "What clients see of the block."),
    title: optional(text, "The title that clients show instead of the block's name."),
    description: optional(text, "What the block does."),
    thread: defaulted(threadName, mainThread, "The thread that the block works on."),
  } satisfies Fields;
}

export function blockKind<F extends Fields>(definition: Definition<F>): BlockKindEntry {
  const { doc, display, threadUse, fields: own, check, checkSyntax, build } = definition;
  const { thread, ...common } = commonFields(display);
  const shared = "thread" in own ? common : { ...common, thread };
  const ignored = Object.fromEntries(Object.entries(acceptedFields).filter(([key]) => !(key in own)));
  const [readShared, readIgnored, readOwn] = [someKeys(shared), someKeys(ignored), someKeys(own)];
  const fields = { ...shared, ...ignored, ...own };
  const known = { block: true, ...fields };
  const read: BlockKindEntry["read"] = (node, context, identity) => {
    if (node.kind !== "map") return wrongType(node, context, "a block");
    reportUnknownKeys(node, known, context);
    reportIgnored(node, ignored, context);
    const base = readShared(node, context);
    if (base !== undefined) checkTitle(base, node, context);
    readIgnored(node, context);
    const values = readOwn(node, context);
    checkSyntax?.(node, context);
    if (values === undefined) return undefined;
    check?.(values, node, context);
    const specific = build(values, { node, context, name: identity.name });
    if (specific === undefined) return undefined;
    checkAvailable(specific, node, context);
    return base && { thread: mainThread, ...defined(base), ...specific, ...identity };
  };
  return { doc, defaultDisplay: display, threadUse, fields, read };
}

function checkAvailable(block: Specific<Block>, node: MapNode, context: Context): void {
  if (isRunYet(block)) return;
  const text = "The block fails when it is reached.";
  reportNotAvailable(blocksNotRunYet[block.kind], text, placeOf(node, "block"), context);
}
