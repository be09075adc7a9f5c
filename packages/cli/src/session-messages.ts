import { isPlainObject } from "@muster/language/json";
import type { Output } from "./output.ts";
import { optionalText } from "./read.ts";

/** The lines of a message of a session: its role, then its parts. */
export function linesOfMessage(
  message: Readonly<Record<string, unknown>>,
  bold: (text: string) => string,
): string[] {
  const parts = Array.isArray(message.parts) ? message.parts.filter(isPlainObject) : [];
  const role = optionalText(message, "role") ?? "message";
  return ["", bold(`== ${role}`), ...parts.flatMap((part) => lineOf(part) ?? [])];
}

/** The last messages of a session that continues, for its user. */
export function showLastMessages(
  out: Output,
  messages: ReadonlyArray<Readonly<Record<string, unknown>>>,
): void {
  for (const message of messages) {
    for (const line of linesOfMessage(message, (text) => out.noteStyle("bold", text))) out.note(line);
  }
  if (messages.length > 0) out.note();
}

/** A part of a message as text; undefined for those that only separate others. */
function lineOf(part: Record<string, unknown>): string | undefined {
  const { type } = part;
  if (type === "step-start") return undefined;
  if (type === "text" || type === "reasoning") return optionalText(part, "text")?.replace(/\n$/, "");
  if (type !== "tool-call") return `[${String(type)}]`;
  const outcome = part.error === undefined ? part.result : part.error;
  const result = outcome === undefined ? String(part.status) : JSON.stringify(outcome);
  return `[${String(part.toolName)} ${JSON.stringify(part.args ?? {})} -> ${result}]`;
}
