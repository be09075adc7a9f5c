import type { Condition } from "./template.ts";

/** The content of a pair of double braces. */
export type Tag =
  | { readonly kind: "if" | "else-if"; readonly condition: string }
  | { readonly kind: "else" }
  | { readonly kind: "end" }
  | { readonly kind: "include"; readonly prompt: string }
  | { readonly kind: "value"; readonly name: string }
  /** Unknown, and therefore text. */
  | { readonly kind: "stray"; readonly looksLike: Likeness };

/** The probable intention behind an unknown tag, if any. */
export type Likeness =
  | { readonly kind: "condition" }
  /** A block or partial of another language. */
  | { readonly kind: "block" }
  /** A name in another style, or a property of one. */
  | { readonly kind: "name"; readonly name: string }
  | undefined;

const opening = /^#\s*if(?:\s+(.*))?$/s;
const further = /^else\s+if(?:\s+(.*))?$/s;
const closing = /^\/\s*if$/;
const placeholder = /^[A-Z][A-Z0-9_]*$/;
/** How other languages write conditionals. */
const almost = /^[#/]?\s*(?:if|unless|else\s*if|else|elif|elsif|end|endif)(?![\w.-])/i;
const foreign = /^[#/^>&]\s*[a-z]/i;
const otherName = /^([A-Za-z_][A-Za-z0-9_-]*)(?:[.[][^\s]*)?$/;

/** `inner` is without the braces and without spaces around it. Linear in its length. */
export function readTag(inner: string): Tag {
  // Nearly all are names.
  if (placeholder.test(inner)) return { kind: "value", name: inner };
  if (inner.startsWith("@")) return { kind: "include", prompt: inner.slice(1).trim().replace(/\.md$/, "") };
  if (inner === "else") return { kind: "else" };
  if (closing.test(inner)) return { kind: "end" };
  const opens = opening.exec(inner);
  if (opens !== null) return { kind: "if", condition: opens[1] ?? "" };
  const continues = further.exec(inner);
  if (continues !== null) return { kind: "else-if", condition: continues[1] ?? "" };
  return { kind: "stray", looksLike: likeness(inner) };
}

function likeness(inner: string): Likeness {
  if (almost.test(inner)) return { kind: "condition" };
  if (foreign.test(inner)) return { kind: "block" };
  const name = otherName.exec(inner)?.[1];
  return name === undefined ? undefined : { kind: "name", name };
}

const bare = /^(!?)([A-Z][A-Z0-9_]*)$/;
const comparison = /^([A-Z][A-Z0-9_]*) *(==|!=) *"([^"]*)"$/;

/** Undefined if the text is not a condition. */
export function readCondition(text: string): Condition | undefined {
  const [, not, name] = bare.exec(text) ?? [];
  if (name !== undefined) return { test: not === "!" ? "falsy" : "truthy", name };
  const [, left, operator, right] = comparison.exec(text) ?? [];
  if (left === undefined || right === undefined) return undefined;
  return { test: operator === "==" ? "equal" : "unequal", name: left, text: right };
}
