import { compileDefinition, type InteractiveProgram } from "@muster/protocol";
import { type Agent, getAgent } from "../api/agents.ts";
import { agentOfSession, createSession } from "../api/sessions.ts";
import { chooseTrigger } from "../chat/choose-trigger.ts";
import { Conversation } from "../chat/conversation.ts";
import { inputPairs } from "../chat/input-pairs.ts";
import { readWholeMessage } from "../chat/messages.ts";
import { failure, usageError } from "../exit.ts";
import type { Api } from "../http/api.ts";
import type { AddCommand, Handler, Invocation } from "../invocation.ts";
import { collect } from "../options.ts";

export const chat: AddCommand = (group, act) => {
  group
    .command("chat")
    .description("Talks to an agent. Tools are shown and not executed.")
    .argument("<agent>", "slug or id of the agent")
    .option("--message <text>", "send this and end with the answer; - reads it from the input")
    .option("--no-message", "fire the trigger once, without a message")
    .option("--trigger <name>", "trigger that gets the messages; default: the only one, or user-message")
    .option("--trigger-input <NAME=VALUE>", "more input of the trigger; may be repeated", collect)
    .option("--input <NAME=VALUE>", "input of a new session; may be repeated", collect)
    .option("--session <id>", "go on with this session; default: a new one")
    .action(act(handle));
};

const handle: Handler = async (invocation) => {
  const { args, io, out, options } = invocation;
  const api = invocation.api();
  const agent = await getAgent(api, args[0] ?? "");
  const program = programOf(agent);
  const target = chooseTrigger(program, {
    trigger: options.text("trigger"),
    pairs: options.texts("triggerInput"),
    withoutMessage: options.isOff("message"),
  });
  const message = await readMessage(invocation, target.messageInput);
  const sessionId = await openSession(invocation, api, agent, program);
  out.note(out.noteStyle("dim", `Session ${sessionId} with ${agent.definition.settings.slug}`));
  const conversation = new Conversation({ io, out, api, sessionId, target });
  await conversation.hold(message);
  if (out.json) out.document({ agentId: agent.id, sessionId, ...conversation.document() });
  return conversation.exitCode();
};

function programOf({ definition }: Agent): InteractiveProgram {
  const { slug, format } = definition.settings;
  if (format === "worker") {
    const advice = `POST /api/agents/${slug}/execute?by=slug runs it; examples/research-worker shows how.`;
    throw failure("WORKER_AGENT", `${slug} is a worker: it runs a task and cannot chat. ${advice}`);
  }
  const compiled = compileDefinition(definition);
  if (compiled.ok && compiled.program.format === "interactive") return compiled.program;
  throw failure("INVALID_DEFINITION", `The definition of ${slug} does not compile here.`, compiled.issues);
}

/** The one message of the command line; undefined when there is none or the input has several. */
async function readMessage(
  { io, out, options }: Invocation,
  messageInput: string | undefined,
): Promise<string | undefined> {
  const message = options.text("message");
  if (message !== undefined && messageInput === undefined)
    throw usageError(
      "The trigger takes no message. Leave --message out, or give input with --trigger-input.",
    );
  if (message !== "-") return message;
  if (io.stdin.isTTY === true) out.note("Write the message; Ctrl-D on a line of its own ends it.");
  return await readWholeMessage(io);
}

async function openSession(
  { options }: Invocation,
  api: Api,
  agent: Agent,
  program: InteractiveProgram,
): Promise<string> {
  const given = options.texts("input");
  const sessionId = options.text("session");
  if (sessionId === undefined)
    return createSession(api, agent.id, inputPairs("--input", given, program.input));
  if (given.length > 0) throw usageError("--input is for new sessions: one that is there has its input.");
  if ((await agentOfSession(api, sessionId)) !== agent.id)
    throw usageError(`${sessionId} is a session with another agent than ${agent.definition.settings.slug}.`);
  return sessionId;
}
