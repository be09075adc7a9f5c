import type { Approval } from "../api/approvals.ts";

/** The lines that say what a call does: its title, the tool and all arguments. */
export function linesOfCall({
  title,
  toolName,
  args,
}: Pick<Approval, "title" | "toolName" | "args">): string[] {
  return [...(title === undefined ? [] : [title]), toolName, ...linesOfArguments(args)];
}

/** One line for each argument. */
export function linesOfArguments(args: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(args).map(([name, value]) => `  ${name}: ${JSON.stringify(value)}`);
}
