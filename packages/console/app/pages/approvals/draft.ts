/** Arguments that are being edited: a text per argument, or all of them as JSON. */
export type Draft = { as: "fields"; texts: Readonly<Record<string, string>> } | { as: "json"; text: string };

type Args = Readonly<Record<string, unknown>>;

export type ReadDraft = { args: Args } | { path: string; problem: string };

export function fieldsOf(args: Args): Draft {
  const texts = Object.entries(args).map(([name, value]) => [name, textOf(value)] as const);
  return { as: "fields", texts: Object.fromEntries(texts) };
}

export function jsonOf(args: Args): Draft {
  return { as: "json", text: JSON.stringify(args, null, 2) };
}

/** Whether an argument is edited as it reads, not as JSON. */
export function isPlain(value: unknown): boolean {
  return typeof value === "string";
}

/** The edited arguments, or the first one that cannot be read. `original`: a text stays a text. */
export function readDraft(draft: Draft, original: Args): ReadDraft {
  if (draft.as === "json") {
    const value = parse(draft.text);
    return isObject(value) ? { args: value } : { path: "args", problem: "must be a JSON object" };
  }
  const args: Record<string, unknown> = {};
  for (const [name, text] of Object.entries(draft.texts)) {
    const value = isPlain(original[name]) ? text : parse(text);
    if (value === undefined) return { path: `args.${name}`, problem: problemOf(original[name]) };
    args[name] = value;
  }
  return { args };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
}

function problemOf(value: unknown): string {
  return typeof value === "number" ? "must be a number" : "must be JSON";
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Args {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
