import { getSession, type Session } from "../../api/sessions.ts";
import { exitCodes } from "../../exit.ts";
import type { AddCommand } from "../../invocation.ts";
import type { Output } from "../../output.ts";
import { isRecord, optionalText } from "../../read.ts";

export const showSession: AddCommand = (group, act) => {
  group
    .command("show")
    .description("Show the messages, variables and resources of a session.")
    .argument("<id>", "Id of the session")
    .action(
      act(async ({ args, out, api }) => {
        const session = await getSession(api(), args[0] ?? "");
        if (out.json) out.document(session);
        else printSession(out, session);
        return exitCodes.fine;
      }),
    );
};

function printSession(out: Output, session: Session): void {
  const { id, agentId, status, createdAt, messages } = session;
  out.line(`${out.style("bold", id)} with ${agentId}, ${status}, created ${createdAt}`);
  for (const kind of ["input", "variables", "resources"] as const) {
    const values = Object.entries(session[kind]);
    if (values.length > 0) out.line(`\n${out.style("bold", `== ${kind}`)}`);
    for (const [name, value] of values) out.line(`${name} = ${JSON.stringify(value)}`);
  }
  for (const message of messages) {
    out.line(`\n${out.style("bold", `== ${optionalText(message, "role") ?? "message"}`)}`);
    const parts = Array.isArray(message.parts) ? message.parts.filter(isRecord) : [];
    for (const part of parts) {
      const line = lineOf(part);
      if (line !== undefined) out.line(line);
    }
  }
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
