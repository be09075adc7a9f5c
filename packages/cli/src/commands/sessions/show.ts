import { isPlainObject } from "@muster/language/json";
import { slugsOf } from "../../api/agents.ts";
import { getSession, type Session } from "../../api/sessions.ts";
import type { AddCommand } from "../../invocation.ts";
import type { Output } from "../../output.ts";
import { linesOfMessage } from "../../session-messages.ts";

export const showSession: AddCommand = (group, act) => {
  group
    .command("show")
    .description("Show the messages, metadata, usage, variables and resources of a session.")
    .argument("<id>", "Id of the session")
    .action(
      act(async ({ args, out, api }) => {
        const client = api();
        const session = await getSession(client, args[0] ?? "");
        if (out.json) out.document(session);
        else printSession(out, session, await slugsOf(client, [session.agentId]));
      }),
    );
};

function printSession(out: Output, session: Session, slugOf: (id: string) => string): void {
  const { id, agentId, status, createdAt, messages, usage } = session;
  const bold = (text: string) => out.style("bold", text);
  out.line(`${bold(id)} with ${slugOf(agentId)}, ${status}, created ${out.time(createdAt)}`);
  const [cost, tokens] = [usage.cost, usage.tokens].map((value) => (isPlainObject(value) ? value : {}));
  if (tokens?.totalTokens !== undefined)
    out.line(`${String(tokens.totalTokens)} tokens, ${String(cost?.totalFee)} ${String(cost?.currency)}`);
  for (const kind of ["metadata", "input", "variables", "resources"] as const) {
    const values = Object.entries(session[kind]);
    if (values.length > 0) out.line(`\n${bold(`== ${kind}`)}`);
    for (const [name, value] of values) out.line(`${name} = ${JSON.stringify(value)}`);
  }
  for (const message of messages) for (const line of linesOfMessage(message, bold)) out.line(line);
}
