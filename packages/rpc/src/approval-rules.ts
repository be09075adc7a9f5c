import type { Issues } from "./issues.ts";

/** The demands of rules on calls. None allows a call: rules only make those of a definition stricter. */
export const approvalDemands = ["ask", "deny"] as const;

/** Stricter rules for tool calls, by tool, namespace or pattern with `*`. */
export type ApprovalRules = Record<string, (typeof approvalDemands)[number]>;

const maxRules = 100;
const name = /^[\w*-]{1,128}$/;

/** Reports each entry that is not a rule, with its path. Returns the others. */
export function readApprovalRules(
  issues: Issues,
  path: string,
  rules: Readonly<Record<string, string>>,
): ApprovalRules {
  const entries = Object.entries(rules);
  if (entries.length > maxRules) {
    issues.add(path, `must have at most ${maxRules} entries`);
    return {};
  }
  const read = entries.flatMap(([tool, rule]) => {
    const demand = approvalDemands.find((known) => known === rule);
    if (!name.test(tool)) {
      const message = "must be named by 1 to 128 letters, digits, _, - and *, such as refund or shell__*";
      issues.add(`${path}.${tool}`, message);
    }
    if (demand === undefined) issues.add(`${path}.${tool}`, `must be one of ${approvalDemands.join(", ")}`);
    return demand === undefined ? [] : [[tool, demand] as const];
  });
  return Object.fromEntries(read);
}
