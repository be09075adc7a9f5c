import type { InteractiveProgram } from "@muster/protocol";
import { usageError } from "../exit.ts";

/**
 * Reads `KEY=VALUE` pairs. A value that is JSON is taken as that, unless the agent declares text: then it is the text,
 * whatever it looks like, and quotes around it are JSON's.
 */
export function sessionInput(
  pairs: readonly string[],
  declared: InteractiveProgram["input"],
): Record<string, unknown> {
  const entries = pairs.map((pair): [string, unknown] => {
    const [, name, text] = /^([A-Z][A-Z0-9_]*)=([\s\S]*)$/.exec(pair) ?? [];
    if (name === undefined || text === undefined)
      throw usageError(`--input takes NAME=VALUE, such as COMPANY=Acme, not ${JSON.stringify(pair)}.`);
    const isText = Object.hasOwn(declared, name) && declared[name]?.type.kind === "string";
    return [name, readValue(text, isText)];
  });
  const names = entries.map(([name]) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw usageError(`--input gives ${twice} twice.`);
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
