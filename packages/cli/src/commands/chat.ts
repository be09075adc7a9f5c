import { compileDefinition, type InteractiveProgram } from "@muster/protocol";
import { type Agent, getAgent } from "../api/agents.ts";
import { cancelTurn, createSession } from "../api/sessions.ts";
import { chooseTrigger, type TextTrigger } from "../chat/choose-trigger.ts";
import { Interrupts } from "../chat/interrupts.ts";
import { readMessages } from "../chat/messages.ts";
import { Printer } from "../chat/printer.ts";
import { sessionInput } from "../chat/session-input.ts";
import { runTurn, type Turn } from "../chat/turn.ts";
import { type ExitCode, exitCodes, failure } from "../exit.ts";
import type { Api } from "../http/api.ts";
import type { AddCommand, Handler, Invocation } from "../invocation.ts";

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
  const turns: Turn[] = [];
  const interrupts = new Interrupts((text) => out.note(text));
  const stopListening = io.onInterrupt(() => interrupts.fire());
  try {
    await converse(invocation, { api, sessionId, target, interrupts, turns });
  } finally {
    stopListening();
  }
  if (out.json) out.document({ agentId: agent.id, sessionId, turns });
  return exitCodeOf(turns, interrupts);
};

function programOf({ definition }: Agent): InteractiveProgram {
  const { slug, format } = definition.settings;
  if (format === "worker")
    throw failure("WORKER_AGENT", `${slug} is a worker: it runs a task and cannot chat.`);
  const compiled = compileDefinition(definition);
  if (compiled.ok && compiled.program.format === "interactive") return compiled.program;
  throw failure("INVALID_DEFINITION", `The definition of ${slug} does not compile here.`, compiled.issues);
}

interface Conversation {
  api: Api;
  sessionId: string;
  target: TextTrigger;
  interrupts: Interrupts;
  /** Gets what becomes of each message. */
  turns: Turn[];
}

async function converse({ io, out, options }: Invocation, conversation: Conversation): Promise<void> {
  const { api, sessionId, target, interrupts, turns } = conversation;
  const message = options.text("message");
  const messages = message === undefined ? readMessages(io, interrupts) : [message];
  const printer = new Printer(out);
  for await (const text of messages) {
    const first = { triggerName: target.triggerName, input: { [target.inputName]: text } };
    const cancel = () => {
      // A turn that cannot be cancelled ends by itself, and a second Ctrl-C leaves it.
      cancelTurn(api, sessionId).catch((error: unknown) => out.note(`The turn goes on: ${String(error)}`));
    };
    const turnEnds = interrupts.turnBegins(cancel);
    try {
      turns.push(await runTurn(api, sessionId, { message: text, first }, printer, interrupts.leaving));
    } catch (error) {
      if (!interrupts.leaving.aborted) throw error;
      printer.end();
    } finally {
      turnEnds();
    }
    // With nobody left to read it, an answer costs money for nothing.
    if (interrupts.leaving.aborted || out.isClosed) return;
  }
}

function exitCodeOf(turns: readonly Turn[], { leaving }: Interrupts): ExitCode {
  if (leaving.aborted) return exitCodes.interrupted;
  return turns.some(({ error }) => error !== null) ? exitCodes.failure : exitCodes.fine;
}
