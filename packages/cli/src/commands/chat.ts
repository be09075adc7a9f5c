import type { InteractiveProgram } from "@muster/language";
import { createSession, getLastMessages, getSession, type LastMessages } from "../api/sessions.ts";
import { chooseTrigger } from "../chat/choose-trigger.ts";
import { Conversation } from "../chat/conversation.ts";
import { findRunnableAgent, type RunnableAgent } from "../definition/find-runnable-agent.ts";
import { failure, usageError } from "../exit.ts";
import { examples } from "../help.ts";
import type { Api } from "../http/api.ts";
import type { AddCommand, Handler, Invocation } from "../invocation.ts";
import { collect } from "../options.ts";
import { readWholeMessage } from "../read-whole-message.ts";
import { showLastMessages } from "../session-messages.ts";
import { answersFor, toolOption } from "../tools/tool-option.ts";
import { inputPairs } from "../turn/input-pairs.ts";

export const chat: AddCommand = (group, act) => {
  group
    .command("chat")
    .description("Chat with an interactive agent.")
    .argument("[agent]", "Slug or id of the agent; with --resume, that of the session")
    .option("--message <text>", "Send one message and exit after the reply; - reads it from standard input")
    .option("--no-message", "Fire the trigger once, without a message")
    .option("--trigger <name>", "Trigger that receives the messages (default: the only one, or user-message)")
    .option(
      "--trigger-input <NAME=VALUE>",
      "Additional trigger input, sent with every message; repeatable",
      collect,
    )
    .option("--input <NAME=VALUE>", "Input of the new session; repeatable", collect)
    .addOption(toolOption())
    .option("--vars", "Show variables and resources after each turn")
    .option("--resume <id>", "Show the last messages of an existing session, and continue it")
    .option("--session <id>", "Continue an existing session without showing it (default: create a new one)")
    .addHelpText(
      "after",
      examples(
        "muster chat support-chat",
        'muster chat support-chat --message "Where is order 1042?" --input SHOP_NAME=Acme',
        "muster chat support-chat --tool get-order=@order.json --tool create-ticket=cmd:./ticket.sh",
        "muster chat --resume ses_01k9x3v6q8m2c4t7w5z1r0p9n8",
        "git diff | muster chat code-reviewer --trigger review --message -",
      ),
    )
    .hook("preAction", (command) => {
      if (command.args.length > 0 || command.opts().resume !== undefined) return;
      command.error("error: name an agent, or a session to continue with --resume");
    })
    .action(act(handle));
};

const handle: Handler = async (invocation) => {
  const { args, io, out, options } = invocation;
  const api = invocation.api();
  const resumed = await readResumed(invocation, api);
  const agent = await findRunnableAgent(api, args[0] ?? resumed?.agentId ?? "");
  const program = interactiveProgram(agent);
  const tools = answersFor(invocation, program);
  const target = chooseTrigger(program, {
    trigger: options.text("trigger"),
    pairs: options.texts("triggerInput"),
    withoutMessage: options.isOff("message"),
  });
  const message = await readMessage(invocation, target.messageInput);
  const sessionId = await openSession(invocation, api, agent, program);
  if (resumed !== undefined) showLastMessages(out, resumed.messages);
  out.note(out.noteStyle("dim", `Session ${sessionId} with ${agent.name}`));
  const showsVariables = options.flag("vars");
  const conversation = new Conversation({ io, out, api, sessionId, target, tools, showsVariables });
  await conversation.hold(message);
  if (out.json) out.document({ agentId: agent.id, sessionId, ...conversation.document() });
  return conversation.exitCode();
};

function interactiveProgram({ name, program }: RunnableAgent): InteractiveProgram | undefined {
  if (program?.format !== "worker") return program;
  throw failure("WORKER_AGENT", `${name} is a worker agent: it runs a task and cannot chat.`, {
    hint: { purpose: "To run it", args: `run ${name}` },
  });
}

/** The message on the command line; undefined if messages are read one by one, or not at all. */
async function readMessage(
  { io, out, options }: Invocation,
  messageInput: string | undefined,
): Promise<string | undefined> {
  const message = options.text("message");
  if (message !== undefined && messageInput === undefined)
    throw usageError(
      "This trigger does not accept a message. Omit --message, or set its input with --trigger-input.",
    );
  if (message !== "-") return message;
  if (io.stdin.isTTY === true) out.note("Enter the message. To finish, press Ctrl-D on an empty line.");
  return await readWholeMessage(io);
}

const maxShownMessages = 10;

/** The session of `--resume`. */
async function readResumed({ options }: Invocation, api: Api): Promise<LastMessages | undefined> {
  const sessionId = options.text("resume");
  if (sessionId === undefined) return undefined;
  if (options.text("session") !== undefined) throw usageError("Give either --resume or --session.");
  const session = await getLastMessages(api, sessionId, maxShownMessages);
  if (session.status === "active") return session;
  throw usageError(`Session ${sessionId} has expired. Restore it, or start a new one.`);
}

async function openSession(
  { options }: Invocation,
  api: Api,
  agent: RunnableAgent,
  program: InteractiveProgram | undefined,
): Promise<string> {
  const given = options.texts("input");
  const sessionId = options.text("resume") ?? options.text("session");
  if (sessionId === undefined)
    return createSession(api, agent.ref, inputPairs("--input", given, program?.input));
  if (given.length > 0)
    throw usageError("--input only applies to new sessions: an existing session keeps its input.");
  const session = await getSession(api, sessionId);
  if (session.agentId !== agent.id)
    throw usageError(`Session ${sessionId} belongs to another agent than ${agent.name}.`);
  return sessionId;
}
