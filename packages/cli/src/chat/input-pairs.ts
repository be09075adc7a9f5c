import type { VariableSpec } from "@muster/protocol";
import { usageError } from "../exit.ts";

/**
 * Reads the `NAME=VALUE` pairs of an option, whose names must be declared. A value that is JSON is taken as that, unless
 * text is declared: then it is the text, whatever it looks like, and quotes around it are JSON's.
 */
export function inputPairs(
  flag: string,
  pairs: readonly string[],
  declared: Readonly<Record<string, VariableSpec>>,
): Record<string, unknown> {
  const entries = pairs.map((pair): [string, unknown] => {
    const [, name, text] = /^([A-Z][A-Z0-9_]*)=([\s\S]*)$/.exec(pair) ?? [];
    if (name === undefined || text === undefined)
      throw usageError(`${flag} takes NAME=VALUE, such as COMPANY=Acme, not ${JSON.stringify(pair)}.`);
    const spec = Object.hasOwn(declared, name) ? declared[name] : undefined;
    // The server would leave it out without a word.
    if (spec === undefined)
      throw usageError(`${flag} gives ${name}; there is ${Object.keys(declared).join(", ") || "no input"}.`);
    return [name, readValue(text, spec.type.kind === "string")];
  });
  const names = entries.map(([name]) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw usageError(`${flag} gives ${twice} twice.`);
  return Object.fromEntries(entries);
}

function readValue(text: string, isText: boolean): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text;
  }
  return isText && typeof value !== "string" ? text : value;
}
