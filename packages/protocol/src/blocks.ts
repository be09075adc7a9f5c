import { type BlockIdentity, blockKinds } from "./block-kinds.ts";
import type { Context } from "./context.ts";
import { quote } from "./diagnostics.ts";
import { isName, nameHint } from "./names.ts";
import type { Block } from "./program.ts";
import { wrongType } from "./readers.ts";
import type { Shape } from "./shapes.ts";
import type { SyntaxNode } from "./syntax.ts";

/** Kinds of the language that this server cannot run yet. */
const planned = new Set(["serialize-thread", "run-worker", "generate-image"]);

/** What `readBlocks` reads. */
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
  for (const [name, { key, value }] of node.entries) {
    if (!isName("block", name)) {
      context.report.add("INVALID_NAME", key, `The block name ${quote(name)} must be ${nameHint("block")}.`);
    }
    const block = readBlock(value, context, { id: `${owner}/${blocks.length}`, name });
    if (block === undefined) continue;
    checkThread(block, value, context);
    blocks.push(block);
  }
  return blocks;
}

function readBlock(node: SyntaxNode, context: Context, identity: BlockIdentity): Block | undefined {
  if (node.kind !== "map") return wrongType(node, context, "a map with block and its settings");
  const kind = node.entries.get("block")?.value;
  if (kind === undefined) {
    context.report.add("MISSING_FIELD", { ...node, path: `${node.path}.block` }, '"block" is required here.');
    return undefined;
  }
  if (kind.kind !== "scalar" || typeof kind.value !== "string")
    return wrongType(kind, context, "a kind of block");
  // Worker programs open all their threads themselves; in interactive ones named threads do not run yet.
  if (kind.value === "start-thread" && context.format === "interactive") {
    const text = "Named threads are not available on this server yet. Remove this block.";
    context.report.add("NOT_AVAILABLE", node, text);
    return undefined;
  }
  const entry = blockKinds.get(kind.value);
  if (entry !== undefined) return entry.read(node, context, identity);
  reportKind(kind, kind.value, context);
  return undefined;
}

function reportKind(node: SyntaxNode, kind: string, { report }: Context): void {
  if (planned.has(kind)) {
    report.add(
      "NOT_AVAILABLE",
      node,
      `Blocks of kind ${kind} are not available on this server yet. Remove this one.`,
    );
    return;
  }
  const known = { name: kind, among: [...blockKinds.keys(), ...planned] };
  report.add("UNKNOWN_BLOCK", node, `There is no kind of block ${quote(kind)}.`, known);
}

/** A thread that is named has been checked; this finds a worker that speaks on `main` without opening it. */
function checkThread(block: Block, node: SyntaxNode, { report, threads }: Context): void {
  const speaks = block.kind === "add-message" || block.kind === "next-message";
  if (!speaks || threads.has(block.thread)) return;
  report.add("UNKNOWN_THREAD", node, `No start-thread opens the thread ${quote(block.thread)}.`);
}
