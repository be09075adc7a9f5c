/** Markup that may be inserted unchanged. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Insert = Html | readonly Html[] | string | number;

/** Builds markup. Everything inserted is escaped, for content and quoted attributes alike, unless it is markup itself. */
export function html(pieces: TemplateStringsArray, ...inserts: readonly Insert[]): Html {
  return new Html(pieces.reduce((text, piece, index) => text + markupOf(inserts[index - 1] ?? "") + piece));
}

export const nothing = new Html("");

function markupOf(insert: Insert): string {
  if (insert instanceof Html) return insert.text;
  if (typeof insert === "object") return insert.map(({ text }) => text).join("");
  return escaped(String(insert));
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Control characters have no place in HTML, and directions of text must not reach beyond it. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\P{Cc}\t\n\r]|[\u202a-\u202e\u2066-\u2069]/gu, "\ufffd")
    .replace(/[&<>"']/g, (character) => entities[character] ?? "");
}
