import type { VariableSpec } from "@muster/language";
import { usageError } from "../exit.ts";

/**
 * Reads the `NAME=VALUE` pairs of an option. Their names must be declared, if the declarations are known. A value is parsed as JSON if possible. For
 * an input declared as text, only a JSON string is parsed, and any other value is used as is.
 */
export function inputPairs(
  flag: string,
  pairs: readonly string[],
  declared: Readonly<Record<string, VariableSpec>> | undefined,
): Record<string, unknown> {
  const entries = pairs.map((pair): [string, unknown] => {
    const [, name, text] = /^([A-Z][A-Z0-9_]*)=([\s\S]*)$/.exec(pair) ?? [];
    if (name === undefined || text === undefined)
      throw usageError(`${flag} must be NAME=VALUE, such as COMPANY=Acme, not ${JSON.stringify(pair)}.`);
    const spec = declared !== undefined && Object.hasOwn(declared, name) ? declared[name] : undefined;
    // Fails before any request, and names the option.
    if (declared !== undefined && spec === undefined)
      throw usageError(
        `${flag}: ${name} is not declared. Declared input: ${Object.keys(declared).join(", ") || "none"}.`,
      );
    return [name, readValue(text, spec?.type.kind === "string")];
  });
  const names = entries.map(([name]) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw usageError(`${flag} sets ${twice} more than once.`);
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
