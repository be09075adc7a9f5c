import type { SyntaxNode } from "../../src/yaml/syntax.ts";

/** A syntax tree without positions: scalars, lists, and maps as lists of pairs, since the order of keys counts. */
export type PlainTree = { value: unknown } | { items: PlainTree[] } | { entries: Array<[string, PlainTree]> };

/** A tree without its positions, so that two trees can be compared. */
export function plainTree(node: SyntaxNode): PlainTree {
  if (node.kind === "scalar") return { value: node.value };
  if (node.kind === "list") return { items: node.items.map(plainTree) };
  return { entries: [...node.entries].map(([name, { value }]) => [name, plainTree(value)]) };
}
