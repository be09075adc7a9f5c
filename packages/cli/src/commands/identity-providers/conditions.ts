import type { ClaimCondition, FederatedScope } from "../../api/identity-providers.ts";
import { usageError } from "../../exit.ts";

/** `claim=value` or `claim=prefix*`. Several values of one claim are alternatives. Throws a usage error for anything else. */
export function parseConditions(given: readonly string[]): ClaimCondition[] {
  const byClaim = new Map<string, string[]>();
  for (const text of given) {
    const [, claim = "", value = ""] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
    if (claim === "" || value === "*")
      throw usageError("--condition must be claim=value or claim=prefix*, such as ref=refs/heads/*.");
    byClaim.set(claim, [...(byClaim.get(claim) ?? []), value]);
  }
  return [...byClaim].map(([claim, values]) => conditionOf(claim, values));
}

function conditionOf(claim: string, values: readonly string[]): ClaimCondition {
  if (!values.some((value) => value.endsWith("*"))) return { claim, equals: values };
  const [only = "", ...others] = values;
  if (others.length > 0) throw usageError(`--condition can have only one value of ${claim} with a prefix.`);
  return { claim, startsWith: only.slice(0, -1) };
}

export function conditionText({ claim, equals = [], startsWith }: ClaimCondition): string {
  return startsWith === undefined ? `${claim}=${equals.join(" or ")}` : `${claim}=${startsWith}*`;
}

export function agentText({ agentId, agentClaim }: FederatedScope): string {
  return agentId ?? `claim ${agentClaim}`;
}

export function sessionText({ sessionId, sessionClaim }: FederatedScope): string {
  return sessionId ?? (sessionClaim === undefined ? "any" : `claim ${sessionClaim}`);
}
