import { lexer, type Token, type Tokens } from "marked";
import { createElement, Fragment, type ReactNode, useMemo } from "react";
import { Copy } from "./copy.tsx";
import { RemoteLink } from "./remote-link.tsx";

/** Only through `Markdown`, which loads it. */
export function MarkdownText({ text }: { text: string }) {
  const tokens = useMemo(() => tokensOf(text), [text]);
  if (tokens === undefined) return <p className="break-words whitespace-pre-wrap">{text}</p>;
  return <div className="grid min-w-0 grid-cols-1 gap-2.5 break-words [&_li>p]:inline">{render(tokens)}</div>;
}

/** Longer texts are shown plain, because some take quadratic time. */
const maxLength = 20_000;
const maxDepth = 60;

/** Undefined for a text that is shown plain. */
function tokensOf(text: string): readonly Token[] | undefined {
  if (text.length > maxLength) return undefined;
  try {
    const tokens = lexer(text);
    return isDeeper(tokens, maxDepth) ? undefined : tokens;
  } catch {
    // A text of many nested quotes exceeds the stack.
    return undefined;
  }
}

function isDeeper(tokens: readonly Tokens.Generic[], levels: number): boolean {
  return tokens.some(({ tokens = [], items = [], header = [], rows = [] }) => {
    const inner = [...tokens, ...items, ...header, ...rows.flat()];
    return inner.length > 0 && (levels === 0 || isDeeper(inner, levels - 1));
  });
}

function render(tokens: readonly Token[] = []): ReactNode {
  return inOrder(tokens.map(element));
}

/** Tokens have no ids, and a text that grows keeps their places. */
function inOrder(nodes: readonly ReactNode[]): ReactNode {
  return createElement(Fragment, null, ...nodes);
}

/** `marked` types unknown extensions into every token, so its own types are matched by name. */
function element(token: Token): ReactNode {
  const known: Tokens.Generic = token;
  const inner = () => render(known.tokens);
  switch (known.type) {
    case "space":
    case "def":
      return null;
    case "br":
      return <br />;
    case "hr":
      return <hr className="border-line" />;
    case "paragraph":
      return <p className="whitespace-pre-wrap">{inner()}</p>;
    case "heading":
      return <p className="font-semibold">{inner()}</p>;
    case "strong":
      return <strong className="font-semibold">{inner()}</strong>;
    case "em":
      return <em>{inner()}</em>;
    case "del":
      return <del>{inner()}</del>;
    case "blockquote":
      return <blockquote className="grid gap-2 border-l-2 border-line pl-3 text-muted">{inner()}</blockquote>;
    case "codespan":
      return <code className="rounded-chip bg-raised px-1 font-mono text-small">{known.text}</code>;
    case "code":
      return <Code text={String(known.text)} />;
    case "list":
      return <List list={known} />;
    case "table":
      return <Table table={known} />;
    case "link":
      return <RemoteLink href={String(known.href)}>{inner()}</RemoteLink>;
    case "image":
      return <RemoteLink href={String(known.href)}>{known.text || "an image"}</RemoteLink>;
    case "checkbox":
      return known.checked ? "☑ " : "☐ ";
    case "html":
      return <span className="whitespace-pre-wrap">{known.raw}</span>;
    case "escape":
      return known.text;
    case "text":
      return known.tokens === undefined ? decoded(String(known.text)) : inner();
    default:
      return known.raw;
  }
}

/** Entities such as `&amp;` are characters in Markdown, too. */
function decoded(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? entity);
}

const entities: Readonly<Record<string, string>> = {
  ...{ "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'" },
};

function Code({ text }: { text: string }) {
  return (
    <div className="relative rounded-card border border-line bg-code">
      <div className="absolute top-1 right-1">
        <Copy text={text} label="the code" />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls needs the keyboard */}
      <pre tabIndex={0} className="overflow-auto p-3 pr-10 font-mono text-small text-code-text">
        {text}
      </pre>
    </div>
  );
}

function List({ list }: { list: Tokens.Generic }) {
  const items: Tokens.ListItem[] = list.items;
  const rows = inOrder(items.map(itemOf));
  return list.ordered ? (
    <ol start={Number(list.start)} className="grid list-decimal gap-1 pl-6">
      {rows}
    </ol>
  ) : (
    <ul className="grid list-disc gap-1 pl-5">{rows}</ul>
  );
}

function itemOf({ tokens }: Tokens.ListItem): ReactNode {
  return <li>{render(tokens)}</li>;
}

function Table({ table }: { table: Tokens.Generic }) {
  const header: Tokens.TableCell[] = table.header;
  const rows: Tokens.TableCell[][] = table.rows;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls needs the keyboard
    <div tabIndex={0} className="overflow-auto rounded-card border border-line">
      <table className="w-full text-table">
        <thead>
          <tr>{inOrder(header.map(cellOf))}</tr>
        </thead>
        <tbody>{inOrder(rows.map(rowOf))}</tbody>
      </table>
    </div>
  );
}

function rowOf(cells: readonly Tokens.TableCell[]): ReactNode {
  return <tr>{inOrder(cells.map(cellOf))}</tr>;
}

function cellOf({ tokens, header }: Tokens.TableCell): ReactNode {
  const Cell = header ? "th" : "td";
  return <Cell className="border-b border-line px-2 py-1 text-left align-top">{render(tokens)}</Cell>;
}
