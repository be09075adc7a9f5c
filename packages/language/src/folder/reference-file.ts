import { isMap, isScalar, LineCounter, parseDocument } from "yaml";
import { folderLimits } from "./layout.ts";
import type { FolderProblem } from "./problems.ts";

export interface ReferenceFile {
  /** The exact front matter, including both `---` lines. */
  readonly header: string;
  readonly description: string;
  readonly content: string;
}

const opening = /^---[ \t]*\r?\n/;
// Without the flag m, which would also match after a lone CR or U+2028.
const closing = /(?<=^|\n)---[ \t]*(?:\r?\n|$)/;

/** Reads a reference: front matter with a description, then the exact content. */
export function parseReference(
  path: string,
  text: string,
  problems: FolderProblem[],
): ReferenceFile | undefined {
  const report = (message: string): undefined => {
    problems.push({ path, message });
  };
  const start = opening.exec(text)?.[0];
  if (start === undefined) {
    const mark = text.startsWith("\ufeff") ? " The file begins with a byte order mark; remove it." : "";
    return report(
      `Line 1, column 1: A reference must begin with front matter: a line ---, then description: …, then a line ---.${mark}`,
    );
  }
  const rest = text.slice(start.length);
  const end = closing.exec(rest);
  if (end === null)
    return report("Line 1, column 1: The front matter does not end. Add a line --- after it.");
  const { frontMatterBytes } = folderLimits;
  if (end.index > frontMatterBytes)
    return report(`Line 1, column 1: The front matter must have at most ${frontMatterBytes} bytes.`);
  const description = readFrontMatter(rest.slice(0, end.index), report);
  if (description === undefined) return undefined;
  const headerLength = start.length + end.index + end[0].length;
  return { header: text.slice(0, headerLength), description, content: text.slice(headerLength) };
}

/** Returns the description. The front matter begins in the second line of the file. */
function readFrontMatter(text: string, report: (message: string) => undefined): string | undefined {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, schema: "core", stringKeys: true });
  const place = (offset = 0): string => {
    const { line, col } = lines.linePos(offset);
    return `Line ${Math.max(line, 1) + 1}, column ${Math.max(col, 1)}: `;
  };
  const problem = document.errors[0] ?? document.warnings[0];
  if (problem !== undefined) {
    return report(
      `${place(problem.pos[0])}The front matter is not valid YAML: ${problem.message.split(/ at line \d|\n/, 1)[0]}.`,
    );
  }
  const { contents } = document;
  if (!isMap(contents))
    return report(`${place()}The front matter must be a mapping with the key description.`);
  for (const { key } of contents.items) {
    const name: unknown = isScalar(key) ? key.value : undefined;
    if (name === "description") continue;
    const offset = isScalar(key) ? key.range?.[0] : undefined;
    report(
      `${place(offset)}The front matter has an unknown key ${JSON.stringify(name)}. Only description is allowed.`,
    );
    return undefined;
  }
  const node = contents.get("description", true);
  const value: unknown = isScalar(node) ? node.value : undefined;
  if (node === undefined) return report(`${place()}The front matter has no description, which is required.`);
  const offset = isScalar(node) ? node.range?.[0] : undefined;
  if (typeof value !== "string")
    return report(`${place(offset)}The description must be text. Put it in quotes.`);
  const wrong = descriptionProblem(value);
  return wrong === undefined ? value : report(place(offset) + wrong);
}

export function descriptionProblem(description: string): string | undefined {
  const { descriptionLength } = folderLimits;
  if (description.trim() !== "" && description.length <= descriptionLength) return undefined;
  return `The description must be 1 to ${descriptionLength} characters.`;
}

/** A JSON string is also a YAML string on one line, so any description can be written. */
function headerOf(description: string): string {
  const plain = /^[A-Za-z][A-Za-z0-9 ,.()/-]*[A-Za-z0-9.)]$/.test(description) && !keyword.test(description);
  return `---\ndescription: ${plain ? description : escapeBreaks(JSON.stringify(description))}\n---\n`;
}

/** Words that a YAML 1.1 or 1.2 reader would not read as text. */
const keyword = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

function escapeBreaks(json: string): string {
  return json.replace(
    /[\u007f-\u00a0\u2028\u2029\ufeff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

export function renderReference(reference: { description: string; content: string }): string {
  return headerOf(reference.description) + reference.content;
}

/** Returns the text with the new reference. The front matter is unchanged if the description is. */
export function updateReference(text: string, reference: { description: string; content: string }): string {
  const current = parseReference("", text, []);
  if (current?.description !== reference.description) return renderReference(reference);
  if (current.content === reference.content) return text;
  const { header } = current;
  return (header.endsWith("\n") ? header : `${header}\n`) + reference.content;
}
