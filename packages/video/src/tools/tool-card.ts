import { isPlainObject } from "@muster/language/json";
import { bytes } from "../frame/format.ts";
import { type EventRecord, numberOf, recordsOf, textOf } from "../scene/record.ts";
import { shortPath, shownTool } from "./call-words.ts";

export interface CardLine {
  /** In front of the text: a number, a sign. */
  gutter: string;
  text: string;
  /** At the right. */
  note?: string;
  tone: "plain" | "added" | "bad" | "folder";
}

/** The input or output of a tool other than the shell: a window over the terminal. */
export interface ToolCard {
  tool: string;
  title: string;
  badge: string;
  lines: CardLine[];
}

/** More do not fit. */
export const maxCardLines = 20;
const maxLineLength = 400;

/** The card while the call runs: the facts known from its input. */
export function cardOfInput(tool: string, input: EventRecord): ToolCard {
  const title = titleOf(tool, input);
  if (tool === "files__write") {
    const content = textOf(input, "content");
    return { tool, title, badge: input.append === true ? "appending" : "writing", lines: written(content) };
  }
  if (tool === "files__read") return { tool, title, badge: "reading", lines: [] };
  if (tool === "files__list") return { tool, title, badge: "listing", lines: [] };
  return { tool, title, badge: "running", lines: jsonLines(input, "") };
}

/** The card once the call has returned. */
export function cardOfOutput(card: ToolCard, output: unknown): ToolCard {
  const record = isPlainObject(output) ? output : {};
  switch (card.tool) {
    case "files__read": {
      const first = numberOf(record, "firstLine") ?? 1;
      const lines = linesOf(textOf(record, "content")).map(
        (text, index): CardLine => ({ gutter: String(first + index), text, tone: "plain" }),
      );
      return { ...card, badge: `${numberOf(record, "totalLines") ?? lines.length} lines`, lines: cut(lines) };
    }
    case "files__list": {
      const entries = recordsOf(record, "entries");
      return { ...card, badge: `${entries.length} entries`, lines: cut(entries.map(entryLine)) };
    }
    case "files__write":
      return { ...card, badge: "written" };
    default:
      return { ...card, badge: "done", lines: cut([...card.lines.slice(0, 8), ...resultLines(output)]) };
  }
}

export function cardOfError(card: ToolCard, error: string): ToolCard {
  const lines = linesOf(error).map((text): CardLine => ({ gutter: "", text, tone: "bad" }));
  return { ...card, badge: "failed", lines: cut([...card.lines.slice(0, 8), ...lines]) };
}

function titleOf(tool: string, input: EventRecord): string {
  const path = shortPath(textOf(input, "path"));
  if (tool === "files__list") return path || "~";
  return tool.startsWith("files__") ? path : shownTool(tool);
}

function written(content: string): CardLine[] {
  const lines = linesOf(content);
  return cut(lines.map((text, index) => ({ gutter: `+ ${index + 1}`, text, tone: "added" })));
}

function entryLine(entry: EventRecord): CardLine {
  const isFolder = textOf(entry, "type") === "directory";
  const size = numberOf(entry, "size");
  const name = shortPath(textOf(entry, "path") || textOf(entry, "name"));
  const line: CardLine = {
    gutter: "",
    text: isFolder ? `${name}/` : name,
    tone: isFolder ? "folder" : "plain",
  };
  return size === undefined || isFolder ? line : { ...line, note: bytes(size) };
}

function resultLines(output: unknown): CardLine[] {
  if (typeof output === "string")
    return linesOf(output).map((text) => ({ gutter: "→", text, tone: "plain" }));
  return isPlainObject(output) ? jsonLines(output, "→ ") : [];
}

/** One line for each field; deeper values are cut. */
function jsonLines(record: EventRecord, gutter: string): CardLine[] {
  return Object.entries(record)
    .slice(0, maxCardLines)
    .map(([key, value]) => {
      const text = typeof value === "string" ? value : shallowJson(value);
      return { gutter: gutter.trim(), text: `${key.slice(0, 60)}: ${cutLine(text)}`, tone: "plain" };
    });
}

/** The beginning of the JSON of a value, without spending time on the rest. */
function shallowJson(value: unknown): string {
  if (Array.isArray(value))
    return `[${value.slice(0, 8).map(scalarJson).join(", ")}${value.length > 8 ? ", …" : ""}]`;
  if (!isPlainObject(value)) return scalarJson(value);
  const entries = Object.entries(value).slice(0, 8);
  return `{ ${entries.map(([key, each]) => `${key}: ${scalarJson(each)}`).join(", ")} }`;
}

function scalarJson(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, 80));
  return typeof value === "object" && value !== null ? "…" : String(value);
}

function linesOf(text: string): string[] {
  const lines = text
    .slice(0, maxCardLines * maxLineLength)
    .toWellFormed()
    .split("\n", maxCardLines + 1);
  return (lines.at(-1) === "" ? lines.slice(0, -1) : lines).map(cutLine);
}

function cutLine(text: string): string {
  return text
    .slice(0, maxLineLength)
    .replaceAll("\t", "    ")
    .replace(/\p{Cc}/gu, " ");
}

function cut(lines: CardLine[]): CardLine[] {
  if (lines.length <= maxCardLines) return lines;
  return [...lines.slice(0, maxCardLines - 1), { gutter: "", text: "…", tone: "plain" }];
}
