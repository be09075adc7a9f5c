import type { Context } from "../context.ts";
import { quote } from "../diagnostics.ts";
import type { Shape } from "../grammar/shapes.ts";
import { checkName } from "../names/names.ts";
import type { Block } from "../program.ts";
import { wrongType } from "../readers/readers.ts";
import { type MapNode, missingAt, placeOf, type SyntaxNode } from "../yaml/syntax.ts";
import type { BlockIdentity } from "./block-kind.ts";
import { blockKinds, threadUseOf } from "./block-kinds.ts";

/** The result of `readBlocks`. */
export const blocksShape: Shape = {
  kind: "map",
  keys: "block",
  values: { kind: "tagged", tag: "block", variants: Object.fromEntries(blockKinds) },
};

/** Reads the blocks of a handler (`owner` is its trigger) or of a worker (`steps`), in order. */
export function readBlocks(node: SyntaxNode, context: Context, owner: string): Block[] | undefined {
  if (node.kind !== "map") return wrongType(node, context, "a map from block names to blocks");
  if (node.entries.size === 0) {
    context.report.add("MISSING_FIELD", node, "At least one block is required here.");
  }
  const blocks: Block[] = [];
  for (const [index, [name, { key, value }]] of [...node.entries].entries()) {
    checkName("block", name, key, context.report, "The block name");
    const block = readBlock(value, context, { id: `${owner}/${blocks.length}`, name });
    if (block === undefined) continue;
    checkThread(block, value, index, owner, context);
    blocks.push(block);
  }
  if (blocks.length === node.entries.size) checkAnswered(blocks, node, context);
  return blocks;
}

/** Reports a visible user message that no next-message answers on its thread and no block serialises. */
function checkAnswered(blocks: readonly Block[], node: MapNode, { report }: Context): void {
  const taken = new Set(blocks.filter(readsThread).map(({ thread }) => thread));
  for (const [index, { value }] of [...node.entries.values()].entries()) {
    const block = blocks[index];
    if (block?.kind !== "add-message" || block.role !== "user" || !block.visible || taken.has(block.thread))
      continue;
    const text = `No next-message block answers this message on the thread ${quote(block.thread)}.`;
    report.add("UNANSWERED_MESSAGE", value, text);
    taken.add(block.thread);
  }
}

function readsThread({ kind }: Block): boolean {
  const use = threadUseOf(kind);
  return use === "reads" || use === "answers";
}

function readBlock(node: SyntaxNode, context: Context, identity: BlockIdentity): Block | undefined {
  if (node.kind !== "map") return wrongType(node, context, "a map with block and its settings");
  const kind = node.entries.get("block")?.value;
  if (kind === undefined) {
    context.report.add("MISSING_FIELD", missingAt(node, "block"), '"block" is required here.');
    return undefined;
  }
  if (kind.kind !== "scalar" || typeof kind.value !== "string")
    return wrongType(kind, context, "a kind of block");
  const entry = blockKinds.get(kind.value);
  if (entry !== undefined) return entry.read(node, context, identity);
  const known = { name: kind.value, among: blockKinds.keys() };
  context.report.add("UNKNOWN_BLOCK", kind, `Unknown kind of block ${quote(kind.value)}.`, known);
  return undefined;
}

/** Only the name `main` may be omitted, so this block names `main` or no thread. */
function unopened(thread: string, { names }: Context): string {
  const opened = [...names.threads.keys()].slice(0, 3).map(quote);
  const hint = opened.length === 0 ? "" : ` Set thread to one that is open, such as ${opened.join(" or ")}.`;
  return `A worker's threads are opened by start-thread, and none opens ${quote(thread)}.${hint}`;
}

/**
 * An earlier check ensures that some block opens each named thread. This one finds blocks that use a thread before it
 * can be open: in a worker, whose steps run once and in order, and in a conversation where only a later block of the
 * same handler opens it, which would then never be reached.
 */
function checkThread(block: Block, node: SyntaxNode, index: number, owner: string, context: Context): void {
  const isWorker = context.format === "worker";
  const use = threadUseOf(block.kind);
  if (isWorker ? use === "none" : use !== "answers") return;
  const { thread } = block;
  const opening = context.names.threads.get(thread);
  const place = placeOf(node, "thread");
  if (opening === undefined) {
    context.report.add("UNKNOWN_THREAD", place, unopened(thread, context));
  } else if (opening.openedBy.size === 1 && (opening.openedBy.get(owner) ?? 0) > index) {
    const text = `The thread ${quote(thread)} is opened only by a later ${isWorker ? "step" : "block"}.`;
    context.report.add("UNKNOWN_THREAD", place, text);
  }
}
