import type { Issues } from "@muster/rpc";

const maxNameLength = 100;
const controlCharacter = /\p{Cc}/u;

/** A display name. */
export function checkName(issues: Issues, path: string, name: string): void {
  const isShort = [...name].length <= maxNameLength;
  if (name.trim() !== "" && isShort && !controlCharacter.test(name) && name.isWellFormed()) return;
  issues.add(path, `must be 1-${maxNameLength} characters without control characters`);
}

export const maxMessageLength = 100_000;

/** A message to an agent. */
export function checkMessage(issues: Issues, path: string, text: string): void {
  if (text.trim() === "") issues.add(path, "is required");
  else issues.checkLength(path, text, { max: maxMessageLength });
  checkStorable(issues, path, text);
}

/** The texts that cannot be stored, or would reach the agent as something else. */
export function checkStorable(issues: Issues, path: string, text: string): void {
  if (text.includes("\0")) issues.add(path, "must not contain NUL characters");
  if (!text.isWellFormed()) issues.add(path, "must be valid Unicode: it contains half of a surrogate pair");
}
