import { Document, isScalar, Pair, Scalar, type ScalarTag, YAMLMap, YAMLSeq } from "yaml";
import type { MapNode, SyntaxNode } from "./syntax.ts";

/**
 * Writes a syntax tree as YAML: block style, two spaces, text of several lines as a literal block, short lists of
 * names on one line, an empty line between sections. `parseYaml` reads the same tree from it again, apart from
 * positions, for any strings. Comments are not part of the tree and are lost, and flow style becomes longer, so that the
 * result may exceed `definitionLimits`.
 */
export function printProtocol(node: SyntaxNode): string {
  const document = new Document(null, { schema: "core", customTags: (tags) => [...tags, verbatimTag] });
  document.contents = toYaml(node);
  if (node.kind === "map") separateSections(document.contents);
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

const maxFlowLength = 80;
const maxFlowItems = 20;

/** Text that goes into the document unchanged. */
class Verbatim {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const verbatimTag: ScalarTag = {
  tag: "tag:yaml.org,2002:str",
  default: true,
  identify: (value) => value instanceof Verbatim,
  resolve: (text) => text,
  stringify: ({ value }) => (value instanceof Verbatim ? value.text : String(value)),
};

function toYaml(node: SyntaxNode): Scalar | YAMLSeq | YAMLMap {
  switch (node.kind) {
    case "scalar":
      return typeof node.value === "string" ? textNode(node.value) : new Scalar(node.value);
    case "list":
      return listNode(node.items);
    case "map":
      return mapNode(node);
    default:
      return node satisfies never;
  }
}

function listNode(items: readonly SyntaxNode[]): YAMLSeq {
  const list = new YAMLSeq();
  list.items = items.map(toYaml);
  list.flow = fitsOneLine(items);
  return list;
}

function fitsOneLine(items: readonly SyntaxNode[]): boolean {
  if (items.length > maxFlowItems) return false;
  let length = 0;
  for (const item of items) {
    if (item.kind !== "scalar" || (typeof item.value === "string" && needsCare(item.value))) return false;
    length += String(item.value).length + 2;
  }
  return length <= maxFlowLength;
}

function mapNode({ entries }: MapNode): YAMLMap {
  const map = new YAMLMap();
  for (const [name, { value }] of entries) {
    const key = needsCare(name) ? quoted(name) : new Scalar(name);
    const empty = value.kind === "scalar" && value.value === null;
    map.items.push(new Pair(key, empty ? new Scalar(new Verbatim("")) : toYaml(value)));
  }
  return map;
}

// Characters that the library would fold, normalise or write raw although the parser rejects them.
const special = /[^\t\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]/u;
/** Starts with a word, ends with one or with a single line break: no header but `|` or `|-` is needed. */
const literal = /^\S(?:.*\S)?\n?$/s;

function needsCare(text: string): boolean {
  return special.test(text);
}

function textNode(text: string): Scalar {
  if (!needsCare(text)) return new Scalar(text);
  if (!literal.test(text) || needsCare(text.replaceAll("\n", ""))) return quoted(text);
  const block = new Scalar(text);
  block.type = Scalar.BLOCK_LITERAL;
  return block;
}

/** JSON is YAML, once everything that YAML treats specially is escaped. */
function quoted(text: string): Scalar {
  const all = new RegExp(special, "gu");
  const escaped = (piece: string) => `\\u${piece.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return new Scalar(new Verbatim(JSON.stringify(text).replace(all, escaped)));
}

function separateSections(contents: unknown): void {
  if (!(contents instanceof YAMLMap)) return;
  for (const { key } of contents.items.slice(1)) if (isScalar(key)) key.spaceBefore = true;
}
