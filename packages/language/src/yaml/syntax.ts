import type { Place, Position } from "../diagnostics.ts";

/** The protocol as a tree with positions. Only `parseYaml` creates it. */
export type SyntaxNode = ScalarNode | ListNode | MapNode;

interface NodeBase {
  readonly path: string;
  readonly position: Position;
}

export interface ScalarNode extends NodeBase {
  readonly kind: "scalar";
  readonly value: string | number | boolean | null;
}

export interface ListNode extends NodeBase {
  readonly kind: "list";
  readonly items: readonly SyntaxNode[];
}

export interface MapNode extends NodeBase {
  readonly kind: "map";
  /** Keys are unique: only the first of several duplicates, which are reported, is kept. */
  readonly entries: ReadonlyMap<string, MapEntry>;
  /** The values of the others. */
  readonly repeated?: readonly SyntaxNode[];
}

export interface MapEntry {
  /** Place of the key: path of the value, position of the key. */
  readonly key: NodeBase;
  readonly value: SyntaxNode;
}

/** The path of the whole protocol. Paths inside it do not contain it. */
export const rootPath = "protocol";

export function isNull(node: SyntaxNode): boolean {
  return node.kind === "scalar" && node.value === null;
}

/** How a message describes a node. */
export function describeNode(node: SyntaxNode): string {
  if (node.kind !== "scalar") return node.kind === "list" ? "a list" : "a map";
  if (node.value === null) return "null";
  return typeof node.value === "string" ? "text" : String(node.value);
}

/** The value of a key if it is text, a number, a flag or null; undefined for anything else. */
export function scalarAt(node: SyntaxNode | undefined, key: string): ScalarNode["value"] | undefined {
  const value = node?.kind === "map" ? node.entries.get(key)?.value : undefined;
  return value?.kind === "scalar" ? value.value : undefined;
}

/** The value of a key, or its map if the key is missing: the place for a diagnostic. */
export function placeOf(node: SyntaxNode, key: string): SyntaxNode {
  return (node.kind === "map" ? node.entries.get(key)?.value : undefined) ?? node;
}

/** The place of a missing key: its own path, and the position of its map. */
export function missingAt({ path, position }: SyntaxNode, key: string): Place & { position: Position } {
  return { path: path === rootPath ? key : `${path}.${key}`, position };
}
