import type { ClaimCondition } from "../store/identity-providers.ts";

/** The payload of a token. */
export type Claims = Readonly<Record<string, unknown>>;

/** The value of a claim; undefined if it is absent. Claims may have names such as `constructor`. */
export function claimOf(claims: Claims, name: string): unknown {
  return Object.hasOwn(claims, name) ? claims[name] : undefined;
}

/** Whether the claim fulfils the condition; of a list, one element is enough. An absent claim never does. */
export function isFulfilled(condition: ClaimCondition, claims: Claims): boolean {
  return [claimOf(claims, condition.claim)]
    .flat()
    .map(textOf)
    .some((text) => text !== undefined && matches(condition, text));
}

function matches(condition: ClaimCondition, text: string): boolean {
  return "equals" in condition ? condition.equals.includes(text) : text.startsWith(condition.startsWith);
}

/** Numbers and booleans as in JSON: `email_verified: true` is `true`. */
function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? JSON.stringify(value) : undefined;
}
