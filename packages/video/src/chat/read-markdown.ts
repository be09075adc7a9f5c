import { marked, type Token, type Tokens } from "marked";

/** Text in one style. */
export interface Span {
  text: string;
  isBold?: boolean;
  isItalic?: boolean;
  isCode?: boolean;
  isLink?: boolean;
}

export interface Paragraph {
  kind: "text" | "heading" | "code" | "quote" | "rule";
  /** A line break is a `\n`. */
  spans: Span[];
  /** Levels of lists. */
  indent: number;
  /** Before the first line of an item of a list. */
  marker?: string;
  /** Less room before it. */
  isTight?: boolean;
}

type Style = Omit<Span, "text">;

/** Deeper lists are not set in further. */
const maxIndent = 3;
const maxDepth = 12;

/** Reads Markdown that may not be complete yet. Never fails: unreadable input is text. */
export function readMarkdown(text: string): Paragraph[] {
  // Thousands of nested quotes would exhaust the stack.
  if (/^(?:[ \t]*[>*+-][ \t]*){20}/m.test(text)) return plainParagraphs(text);
  try {
    return blocksOf(marked.lexer(closed(text), { gfm: true, breaks: true }), 0, 0);
  } catch {
    return plainParagraphs(text);
  }
}

/** Closes what is open at the end, so that a text does not flicker while it is written. */
function closed(text: string): string {
  const line = text.slice(text.lastIndexOf("\n") + 1);
  const count = (pattern: RegExp) => line.match(pattern)?.length ?? 0;
  if (count(/```/g) > 0) return text;
  if (count(/`/g) % 2 === 1) return line.endsWith("`") ? text.slice(0, -1) : `${text}\``;
  if (count(/\*\*/g) % 2 === 1) return /\*\*\s*$/.test(line) ? text.replace(/\*\*\s*$/, "") : `${text}**`;
  return text;
}

function plainParagraphs(text: string): Paragraph[] {
  return [{ kind: "text", spans: [{ text }], indent: 0 }];
}

function blocksOf(tokens: readonly Token[], indent: number, depth: number): Paragraph[] {
  return depth > maxDepth ? [] : tokens.flatMap((token) => blockOf(token, indent, depth));
}

function blockOf(token: Token, indent: number, depth: number): Paragraph[] {
  switch (token.type) {
    case "space":
      return [];
    case "heading":
      return [{ kind: "heading", spans: spansOf(token, { isBold: true }), indent }];
    case "code":
      return [{ kind: "code", spans: [{ text: String(token.text), isCode: true }], indent }];
    case "hr":
      return [{ kind: "rule", spans: [], indent }];
    case "blockquote":
      return blocksOf(token.tokens ?? [], indent, depth + 1).map((each) =>
        each.kind === "text" ? { ...each, kind: "quote" } : each,
      );
    case "list":
      return listOf(token as Tokens.List, indent, depth);
    case "table":
      return [{ kind: "code", spans: [{ text: tableText(token as Tokens.Table), isCode: true }], indent }];
    default:
      return [{ kind: "text", spans: spansOf(token, {}), indent }];
  }
}

function listOf(list: Tokens.List, indent: number, depth: number): Paragraph[] {
  const start = typeof list.start === "number" ? list.start : 1;
  return list.items.flatMap((item, index) => {
    const marker = item.task ? (item.checked ? "☑" : "☐") : list.ordered ? `${start + index}.` : "•";
    const paragraphs = blocksOf(item.tokens, Math.min(indent + 1, maxIndent), depth + 1);
    const [first, ...rest] = paragraphs;
    if (first === undefined) return [{ kind: "text", spans: [], indent: indent + 1, marker, isTight: true }];
    const head: Paragraph = first.marker === undefined ? { ...first, marker } : first;
    return [{ ...head, isTight: index > 0 }, ...rest.map((each) => ({ ...each, isTight: true }))];
  });
}

/** Columns of the same width, as in a terminal. */
function tableText(table: Tokens.Table): string {
  const rows = [table.header, ...table.rows].map((row) => row.map(({ text }) => text));
  const widths = table.header.map((_, column) =>
    Math.min(Math.max(...rows.map((row) => row[column]?.length ?? 0)), 24),
  );
  const lines = rows.map((row) => row.map((text, column) => text.padEnd(widths[column] ?? 0)).join("  "));
  const ruler = widths.map((width) => "─".repeat(width)).join("──");
  return [lines[0], ruler, ...lines.slice(1)].join("\n");
}

function spansOf(token: Token, style: Style): Span[] {
  const children = "tokens" in token ? token.tokens : undefined;
  const inner = (more: Style) => (children ?? []).flatMap((child) => spansOf(child, { ...style, ...more }));
  switch (token.type) {
    case "strong":
      return inner({ isBold: true });
    case "em":
      return inner({ isItalic: true });
    case "link":
      return inner({ isLink: true });
    case "codespan":
      return [{ ...style, text: String(token.text), isCode: true }];
    case "br":
      return [{ ...style, text: "\n" }];
    default:
      if (children !== undefined && children.length > 0) return inner({});
      return [{ ...style, text: "text" in token ? unescaped(String(token.text)) : token.raw }];
  }
}

/** Markdown may name these characters as HTML does. */
function unescaped(text: string): string {
  return text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");
}
