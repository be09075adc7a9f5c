/** The characters that can start a plain scalar that is not text: a quick test, because nearly all scalars are text. */
const mayBeOther = /^(?:$|[-+.0-9~nNtTfF])/;
const nothing = /^(?:~|[Nn]ull|NULL)?$/;
const flag = /^(?:[Tt]rue|TRUE|[Ff]alse|FALSE)$/;
const octal = /^0o[0-7]+$/;
const hexadecimal = /^0x[0-9a-fA-F]+$/;
const decimal = /^[-+]?[0-9]+$/;
const notFinite = /^(?:[-+]?\.(?:inf|Inf|INF)|\.nan|\.NaN|\.NAN)$/;
const fraction = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;

/** The value of an unquoted scalar in the core schema of YAML 1.2. Numbers may turn out not to be finite. */
export function plainValue(text: string): string | number | boolean | null {
  if (!mayBeOther.test(text)) return text;
  if (nothing.test(text)) return null;
  if (flag.test(text)) return text.startsWith("t") || text.startsWith("T");
  if (octal.test(text)) return Number.parseInt(text.slice(2), 8);
  if (hexadecimal.test(text)) return Number.parseInt(text.slice(2), 16);
  if (decimal.test(text)) return Number.parseInt(text, 10);
  if (notFinite.test(text)) return Number.NaN;
  return fraction.test(text) ? Number.parseFloat(text) : text;
}
