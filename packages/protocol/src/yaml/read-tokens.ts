import { CST, type LineCounter } from "yaml";
import { definitionLimits } from "../limits.ts";
import { findUnreadable } from "../source.ts";
import { areBlank, emptyOffset, hasNewline, onlyIndicator } from "./blank-tokens.ts";
import { pathIn, placeAt } from "./places.ts";
import { plainValue } from "./plain-value.ts";
import type { ListNode, MapEntry, MapNode, ScalarNode, SyntaxNode } from "./syntax.ts";

/**
 * Builds the syntax tree directly from the tokens of a document, which takes half the time of the library's nodes.
 * Returns undefined for anything that is wrong or rare: directives, anchors, tags, aliases, tabs, explicit and
 * repeated keys. The library then reads the same tokens, so that it alone finds and describes errors.
 * Everything accepted here must have the same meaning there; a property test compares the two.
 */
export function readTokens(tokens: readonly CST.Token[], lines: LineCounter): SyntaxNode | undefined {
  const document = tokens.at(-1);
  if (document?.type !== "document" || !tokens.slice(0, -1).every(({ type }) => blanks.has(type)))
    return undefined;
  const { start, value, end } = document;
  if (value === undefined || value.type === "block-scalar") return undefined;
  if (!areBlank(start, true) || !areBlank(end, true)) return undefined;
  return new TokenReader(lines).read(value, "");
}

const blanks: ReadonlySet<CST.Token["type"]> = new Set(["space", "newline", "comment"]);

type Collection = CST.BlockMap | CST.BlockSequence | CST.FlowCollection;

class TokenReader {
  readonly #lines: LineCounter;
  #depth = 0;

  constructor(lines: LineCounter) {
    this.#lines = lines;
  }

  read(token: CST.Token, path: string): SyntaxNode | undefined {
    switch (token.type) {
      case "scalar":
      case "single-quoted-scalar":
      case "double-quoted-scalar":
      case "block-scalar":
        return this.#scalar(token, path);
      case "block-map":
      case "block-seq":
      case "flow-collection":
        return this.#collection(token, path);
      default:
        return undefined;
    }
  }

  #collection(token: Collection, path: string): SyntaxNode | undefined {
    if (++this.#depth > definitionLimits.depth) return undefined;
    const node = this.#items(token, path);
    this.#depth -= 1;
    return node;
  }

  #items(token: Collection, path: string): SyntaxNode | undefined {
    switch (token.type) {
      case "block-map":
        return this.#blockMap(token, path);
      case "block-seq":
        return this.#blockList(token, path);
      case "flow-collection":
        return this.#flowCollection(token, path);
      default:
        return token satisfies never;
    }
  }

  #blockMap({ items, indent, offset }: CST.BlockMap, path: string): MapNode | undefined {
    const entries = new Map<string, MapEntry>();
    for (const [index, { start, explicitKey, key, sep, value }] of items.entries()) {
      if (explicitKey || !areBlank(start, true)) return undefined;
      if (sep === undefined) {
        // Comments after the last entry.
        if (index < items.length - 1 || key) return undefined;
        break;
      }
      const colon = onlyIndicator(sep, "map-value-ind", false);
      if (colon === undefined || !isKey(key) || key.indent !== indent) return undefined;
      if (isBlock(value) && !hasNewline(sep)) return undefined;
      if ((sep[colon]?.offset ?? 0) - key.offset > maxKeyLength) return undefined;
      if (!this.#entry(entries, path, key, value, emptyOffset(sep, colon))) return undefined;
    }
    return { kind: "map", ...this.#place(offset, path), entries };
  }

  #blockList({ items, offset }: CST.BlockSequence, path: string): ListNode | undefined {
    const nodes: SyntaxNode[] = [];
    for (const [index, { start, value }] of items.entries()) {
      const dash = onlyIndicator(start, "seq-item-ind", true);
      if (dash === undefined) {
        // Comments after the last item.
        if (index < items.length - 1 || value !== undefined || !areBlank(start, true)) return undefined;
        break;
      }
      const inner = pathIn(path, nodes.length);
      const node = value ? this.read(value, inner) : this.#nothing(emptyOffset(start, dash), inner);
      if (node === undefined) return undefined;
      nodes.push(node);
    }
    return { kind: "list", ...this.#place(offset, path), items: nodes };
  }

  #flowCollection(token: CST.FlowCollection, path: string): SyntaxNode | undefined {
    const isMap = token.start.source === "{";
    const [close, ...rest] = token.end;
    if (close?.source !== (isMap ? "}" : "]") || !areBlank(rest, false)) return undefined;
    const entries = new Map<string, MapEntry>();
    const nodes: SyntaxNode[] = [];
    for (const [index, { start, key, sep, value }] of token.items.entries()) {
      const isFirst = index === 0;
      const isSeparated = isFirst
        ? areBlank(start, false)
        : onlyIndicator(start, "comma", false) !== undefined;
      if (!isSeparated) return undefined;
      if (!key && !sep && !value) {
        // After a trailing comma, or in empty brackets.
        if (index < token.items.length - 1) return undefined;
      } else if (isMap) {
        if (!isKey(key) || !this.#flowEntry(entries, path, key, sep ?? [], value)) return undefined;
      } else {
        // `[a: b]` is rare enough for the library.
        if (sep !== undefined || !value || isBlock(value)) return undefined;
        const node = this.read(value, pathIn(path, nodes.length));
        if (node === undefined) return undefined;
        nodes.push(node);
      }
    }
    const place = this.#place(token.offset, path);
    return isMap ? { kind: "map", ...place, entries } : { kind: "list", ...place, items: nodes };
  }

  #flowEntry(
    entries: Map<string, MapEntry>,
    path: string,
    key: CST.FlowScalar,
    sep: readonly CST.SourceToken[],
    value: CST.Token | undefined,
  ): boolean {
    const colon = onlyIndicator(sep, "map-value-ind", false);
    if (colon !== undefined) {
      return !isBlock(value) && this.#entry(entries, path, key, value, emptyOffset(sep, colon));
    }
    // In `{a}`, the key `a` has no value, and the missing value has no place of its own.
    return value === undefined && areBlank(sep, false) && this.#entry(entries, path, key, value, key.offset);
  }

  /** Adds an entry; false if the library must read it. */
  #entry(
    entries: Map<string, MapEntry>,
    path: string,
    key: CST.FlowScalar,
    value: CST.Token | undefined,
    emptyAt: number,
  ): boolean {
    const name = this.#text(key);
    if (name === undefined || entries.has(name)) return false;
    const inner = pathIn(path, name);
    const node = value ? this.read(value, inner) : this.#nothing(emptyAt, inner);
    if (node === undefined) return false;
    entries.set(name, { key: this.#place(key.offset, inner), value: node });
    return true;
  }

  #scalar(token: CST.FlowScalar | CST.BlockScalar, path: string): ScalarNode | undefined {
    const text = this.#text(token);
    if (text === undefined) return undefined;
    const value = token.type === "scalar" ? plainValue(text) : text;
    if (typeof value === "number" && !Number.isFinite(value)) return undefined;
    return { kind: "scalar", ...this.#place(token.offset, path), value };
  }

  #nothing(offset: number, path: string): ScalarNode {
    return { kind: "scalar", ...this.#place(offset, path), value: null };
  }

  #place(offset: number, path: string) {
    return placeAt(this.#lines, offset, path);
  }

  /** The text of a scalar; undefined if it has an error, or a character that only an escape can produce. */
  #text(token: CST.FlowScalar | CST.BlockScalar): string | undefined {
    if (token.type !== "block-scalar") {
      if (!areBlank(token.end, false)) return undefined;
      const simple = simpleText(token);
      if (simple !== undefined) return simple;
    }
    let failed = false;
    const resolved = CST.resolveAsScalar(token, true, () => {
      failed = true;
    });
    return failed || resolved === null || findUnreadable(resolved.value) >= 0 ? undefined : resolved.value;
  }
}

/** The library counts 1,024 characters, from the key's properties on. */
const maxKeyLength = 1_000;

type Key = CST.FlowScalar;

/** A key on one line. */
function isKey(token: CST.Token | null | undefined): token is Key {
  const isScalar =
    token?.type === "scalar" ||
    token?.type === "single-quoted-scalar" ||
    token?.type === "double-quoted-scalar";
  return isScalar && !token.end && !token.source.includes("\n");
}

function isBlock(token: CST.Token | undefined): boolean {
  return token?.type === "block-map" || token?.type === "block-seq";
}

const badStarts = /^[\t,%|>@`]/;

/** Text on one line without escapes; undefined for anything else. */
function simpleText({ type, source }: CST.FlowScalar): string | undefined {
  if (source.includes("\n")) return undefined;
  if (type === "scalar") return badStarts.test(source) ? undefined : source;
  const quote = type === "single-quoted-scalar" ? "'" : '"';
  if (source.length < 2 || !source.endsWith(quote)) return undefined;
  const inner = source.slice(1, -1);
  return inner.includes("\\") || inner.includes(quote) ? undefined : inner;
}
