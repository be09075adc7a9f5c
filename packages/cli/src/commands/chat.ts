import { compileDefinition, type InteractiveProgram } from "@muster/protocol";
import { type Agent, getAgent } from "../api/agents.ts";
import { createSession } from "../api/sessions.ts";
import { chooseTrigger } from "../chat/choose-trigger.ts";
import { Conversation } from "../chat/conversation.ts";
import { sessionInput } from "../chat/session-input.ts";
import { failure } from "../exit.ts";
import type { AddCommand, Handler } from "../invocation.ts";

export const chat: AddCommand = (group, act) => {
  group
    .command("chat")
    .description("Talks to an agent in a new session. Tools are shown and not executed.")
    .argument("<agent>", "slug or id of the agent")
    .option("--message <text>", "send this and end with the answer")
    .option("--trigger <name>", "trigger that gets the messages; default: the only one, or user-message")
    .option(
      "--input <NAME=VALUE...>",
      "input of the session; JSON where the agent does not want text; may be repeated",
    )
    .action(act(handle));
};

const handle: Handler = async (invocation) => {
  const { args, io, out, options } = invocation;
  const api = invocation.api();
  const agent = await getAgent(api, args[0] ?? "");
  const program = programOf(agent);
  const target = chooseTrigger(program, options.text("trigger"));
  const input = sessionInput(options.texts("input"), program.input);
  const sessionId = await createSession(api, agent.id, input);
  out.note(out.noteStyle("dim", `Session ${sessionId} with ${agent.definition.settings.slug}`));
  const conversation = new Conversation({ io, out, api, sessionId, target });
  await conversation.hold(options.text("message"));
  if (out.json) out.document({ agentId: agent.id, sessionId, ...conversation.document() });
  return conversation.exitCode();
};

function programOf({ definition }: Agent): InteractiveProgram {
  const { slug, format } = definition.settings;
  if (format === "worker")
    throw failure("WORKER_AGENT", `${slug} is a worker: it runs a task and cannot chat.`);
  const compiled = compileDefinition(definition);
  if (compiled.ok && compiled.program.format === "interactive") return compiled.program;
  throw failure("INVALID_DEFINITION", `The definition of ${slug} does not compile here.`, compiled.issues);
}
