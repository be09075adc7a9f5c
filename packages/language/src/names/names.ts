import { type Place, quote, type Report } from "../diagnostics.ts";
import { forbiddenKeys, type JsonObject } from "../values/json.ts";

/** The style of a kind of names. `style` and `example` complete the sentence "… must be". */
interface NameRule {
  readonly pattern: RegExp;
  readonly maxLength: number;
  readonly style: string;
  readonly example: string;
  /** Writes text in the style of this kind, as far as possible. */
  readonly spell?: (text: string) => string;
}

const dashed = {
  pattern: /^[a-z0-9]+(?:-[a-z0-9]+)*$/,
  maxLength: 64,
  style: "lowercase-with-dashes",
  spell: (text: string) => wordsOf(text).join("-").toLowerCase(),
};
const path = {
  pattern: /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\/[a-z0-9]+(?:-[a-z0-9]+)*)*$/,
  maxLength: 200,
  style: "lowercase-with-dashes, optionally in folders",
  spell: (text: string) => text.replace(/\.md$/, "").split("/").map(dashed.spell).join("/"),
};

export const nameRules = {
  slug: { ...dashed, example: "support-chat" },
  tool: { ...dashed, example: "get-user-account" },
  worker: { ...dashed, example: "research-topic" },
  namespace: { ...dashed, example: "issue-tracker" },
  skill: { ...dashed, example: "make-charts" },
  capability: { ...dashed, example: "send-mail" },
  trigger: { ...dashed, example: "user-message" },
  thread: { ...dashed, example: "summary" },
  prompt: { ...path, example: "system or flows/refund" },
  reference: { ...path, example: "return-policy" },
  variable: {
    pattern: /^[A-Z][A-Z0-9_]*$/,
    maxLength: 64,
    style: "UPPER_SNAKE_CASE",
    example: "USER_MESSAGE",
    spell: (text) => wordsOf(text).join("_").toUpperCase(),
  },
  type: {
    pattern: /^[A-Z][A-Za-z0-9]*$/,
    maxLength: 64,
    style: "PascalCase",
    example: "OrderLine",
    spell: (text) => wordsOf(text).map(capitalised).join(""),
  },
  // Looser than for a property: arguments go to the caller's own tools, which choose their spelling.
  parameter: {
    pattern: /^[A-Za-z][A-Za-z0-9_]*$/,
    maxLength: 64,
    style: "letters, digits and underscores",
    example: "orderId",
    spell: (text) => wordsOf(text).join("_"),
  },
  property: {
    pattern: /^[a-z][A-Za-z0-9]*$/,
    maxLength: 64,
    style: "camelCase",
    example: "orderId",
    spell: (text) => {
      const [first = "", ...rest] = wordsOf(text);
      return [first.toLowerCase(), ...rest.map(capitalised)].join("");
    },
  },
  toolPattern: {
    pattern: /^[A-Za-z0-9_*-]+$/,
    maxLength: 64,
    style: "letters, digits, dashes, underscores, and * for any text",
    example: "delete_*",
  },
  // No control characters: the name is shown to users and written to logs.
  block: { pattern: /^\P{Cc}+$/u, maxLength: 100, style: "plain words", example: "Answer the user" },
} as const satisfies Record<string, NameRule>;

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();
}

export type NameKind = keyof typeof nameRules;

export function isName(kind: NameKind, text: string): boolean {
  const { pattern, maxLength } = nameRules[kind];
  return text.length <= maxLength && pattern.test(text) && !forbiddenKeys.has(text);
}

/** The rule for names of that kind, to complete "… must be". */
export function nameHint(kind: NameKind): string {
  const { maxLength, style, example } = nameRules[kind];
  return `${style} (such as ${example}) and at most ${maxLength} characters long`;
}

/** The same words in the style of that kind; undefined if that is not a name, or if nothing changes. */
export function respelled(kind: NameKind, text: string): string | undefined {
  const { spell, maxLength }: NameRule = nameRules[kind];
  // Nothing useful would remain of other alphabets.
  if (spell === undefined || text.length > maxLength || !/^[\x20-\x7e]+$/.test(text)) return undefined;
  const name = spell(text);
  return name !== text && isName(kind, name) ? name : undefined;
}

function wordsOf(text: string): string[] {
  const words = text.replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2").split(/[^A-Za-z0-9]+/);
  return words.filter((word) => word !== "");
}

/** Reports a name that does not follow the rules of its kind. `what` begins the sentence: "The name", "The label". */
export function checkName(
  kind: NameKind,
  name: string,
  place: Place,
  report: Report,
  what = "The name",
): boolean {
  if (isName(kind, name)) return true;
  const meant = respelled(kind, name);
  const rule = forbiddenKeys.has(name)
    ? "is not allowed because every object already has it"
    : `must be ${nameHint(kind)}`;
  const text = `${what} ${quote(name)} ${rule}.`;
  report.add("INVALID_NAME", place, text, meant === undefined ? [] : [meant]);
  return false;
}

/** Whether a name matches a pattern in which `*` stands for any text. Every part is searched for once. */
export function matchesPattern(pattern: string, name: string): boolean {
  const [start = "", ...parts] = pattern.split("*");
  const end = parts.pop();
  if (end === undefined) return name === pattern;
  const last = name.length - end.length;
  if (last < start.length || !name.startsWith(start) || !name.endsWith(end)) return false;
  let from = start.length;
  return parts.every((part) => {
    const found = name.indexOf(part, from);
    from = found + part.length;
    return found >= 0 && from <= last;
  });
}

const text = { type: "string" };
const whole = { type: "integer" };

/** The tools of computers by their namespaces, which need no declaration, with the types of their parameters. */
export const computerToolParameters: Readonly<Record<string, Readonly<Record<string, JsonObject>>>> = {
  shell: { run_command: { command: text, timeoutSeconds: whole, cwd: text } },
  files: {
    read: { path: text, offset: whole, limit: whole },
    write: { path: text, content: text, append: { type: "boolean" } },
    list: { path: text, recursive: { type: "boolean" } },
  },
};

/** Reserved: its tools would be called `platform__tool`, which looks like one of the platform's own. */
export const platformNamespace = "platform";

export const computerNamespaces: readonly string[] = Object.keys(computerToolParameters);

export function isComputerNamespace(namespace: string): boolean {
  return computerNamespaces.includes(namespace);
}
