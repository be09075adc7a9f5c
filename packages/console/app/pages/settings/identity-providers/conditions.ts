import type { ClaimCondition } from "@muster/client";

const prefix = " starts with ";

/** `repository = acme/app | acme/site` or `sub starts with repo:acme/`, one condition per line. */
export function conditionLines(conditions: readonly ClaimCondition[]): string {
  return conditions.map(lineOf).join("\n");
}

export function conditionsIn(text: string): ClaimCondition[] {
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map(conditionOf);
}

function lineOf({ claim, equals = [], startsWith }: ClaimCondition): string {
  return startsWith === undefined ? `${claim} = ${equals.join(" | ")}` : `${claim}${prefix}${startsWith}`;
}

/** A line that is neither is sent as a claim without a condition, which the server refuses. */
function conditionOf(line: string): ClaimCondition {
  const begin = line.indexOf(prefix);
  if (begin !== -1)
    return { claim: line.slice(0, begin).trim(), startsWith: line.slice(begin + prefix.length).trim() };
  const equal = line.indexOf("=");
  if (equal === -1) return { claim: line.trim() };
  // A value can contain the sign: `auth0|5f7c8e` is one subject.
  const values = line.slice(equal + 1).split(/\s+\|\s+/);
  return { claim: line.slice(0, equal).trim(), equals: values.map((value) => value.trim()) };
}
