import {
  type AgentWork,
  type Dispatch,
  followUp,
  getThread,
  isFinal,
  startThread,
} from "../../api/threads.ts";
import { type ExitCode, usageError } from "../../exit.ts";
import { examples } from "../../help.ts";
import type { AddCommand, Handler, Invocation } from "../../invocation.ts";
import { collect } from "../../options.ts";
import { readWholeMessage } from "../../read-whole-message.ts";
import { findWork } from "../../workforce/find-work.ts";
import { lastEventNumber } from "../../workforce/follow-thread.ts";
import { addSettingOptions, capabilitiesOf, settingsOf } from "../../workforce/options.ts";
import { exitCodeOf } from "../../workforce/outcome.ts";
import { uploadFiles } from "../../workforce/upload-files.ts";
import { watchThread } from "../../workforce/watch-thread.ts";

export const runWorkforce: AddCommand = (group, act) => {
  const command = group
    .command("run")
    .description("Send a message to a workforce agent, as a new thread or in an existing one.")
    .argument("<agent>", "Name, slug or id of the agent")
    .argument("<message>", "The message; - reads it from standard input")
    .option("--file <path>", "A file for the agent, in ~/files of its computer; repeatable", collect)
    .option("--wait", "Show what the agent does, and end when it has finished")
    .option("--thread <id>", "Continue this thread (default: a new one)")
    .option("--if-idle", "Fail instead of waiting in the queue if the agent has work")
    .option("--idempotency-key <key>", "Send the message only once, however often the command is repeated");
  addSettingOptions(command)
    .addHelpText(
      "after",
      examples(
        'muster workforce run Lou "Which of these hosts failed most? web-1 ok, web-2 failed" --wait',
        'muster workforce run Lou "Which host failed most?" --file log.txt --wait',
        "muster workforce run Lou - --wait --idempotency-key build-77",
        'muster workforce run Lou "Which host failed most?" --wait --record --public',
        'muster workforce run Lou "And which one failed first?" --thread thr_01m2k3 --wait',
      ),
    )
    .action(act(handle));
};

const handle: Handler = async (invocation) => {
  const { args, io, options } = invocation;
  const [name = "", text = ""] = args;
  const config = configOf(invocation);
  const paths = pathsOf(invocation);
  if (text === "-" && io.stdin.isTTY === true)
    throw usageError("Standard input is a terminal. Give the message as an argument, or pipe it in.");
  const message = text === "-" ? await readWholeMessage(io) : text;
  const agent = await findWork(invocation, name);
  const threadId = options.text("thread");
  const after = threadId === undefined ? 0 : await eventsSoFar(invocation, agent, threadId);
  const files = await uploadFiles(agent, paths, (text) => invocation.out.progress(text));
  const request = { message, ...config, ...(files.length > 0 && { files }) };
  const sent = await dispatch(invocation, agent, request);
  return showDispatch(invocation, agent, sent, after);
};

function pathsOf({ options }: Invocation): readonly string[] {
  const paths = options.texts("file");
  if (paths.length === 0 || options.text("idempotencyKey") === undefined) return paths;
  throw usageError(
    "Each upload is a new file, so a repeat would be another message. Omit --idempotency-key with --file.",
  );
}

function configOf({ options }: Invocation): { config?: Record<string, unknown> } {
  const capabilities = capabilitiesOf(options);
  const config = {
    ...settingsOf(options),
    ...(Object.keys(capabilities).length > 0 && { capabilities }),
  };
  if (Object.keys(config).length === 0) return {};
  if (options.text("thread") === undefined) return { config };
  throw usageError("The settings of a thread are fixed. Omit them with --thread, or start a new thread.");
}

/** So that a follow-up with --wait does not show the earlier turns again. */
async function eventsSoFar({ options }: Invocation, agent: AgentWork, threadId: string): Promise<number> {
  if (!options.flag("wait")) return 0;
  const { status } = await getThread(agent, threadId);
  if (!isFinal(status)) return 0;
  return lastEventNumber({ agent, threadId }, new AbortController().signal);
}

async function dispatch(
  { options }: Invocation,
  agent: AgentWork,
  request: Record<string, unknown>,
): Promise<Dispatch> {
  const key = options.text("idempotencyKey");
  const threadId = options.text("thread");
  if (threadId !== undefined) {
    if (options.flag("ifIdle")) throw usageError("--if-idle is for new threads. Omit it with --thread.");
    return followUp(agent, threadId, request, key);
  }
  return startThread(agent, { ...request, ifIdle: options.flag("ifIdle") }, key);
}

/** With `--wait`, to the end of its run. `after`: the last event to skip. */
export function showDispatch(
  invocation: Invocation,
  agent: AgentWork,
  sent: Dispatch,
  after = 0,
): ExitCode | Promise<ExitCode> {
  const { out, options } = invocation;
  if (!options.flag("wait")) return report(invocation, agent, sent);
  if (!out.json) out.note(out.noteStyle("dim", `[${sent.threadId}]`));
  return watchThread(invocation, agent, sent.threadId, after);
}

function report({ out }: Invocation, { agentId, ref }: AgentWork, sent: Dispatch): ExitCode {
  const { threadId, status, replayed } = sent;
  if (out.json) out.document({ agentId, threadId, status, replayed });
  else {
    out.line(`${threadId} ${status}${replayed ? " (already sent)" : ""}`);
    out.hint({ purpose: "To watch it", args: `workforce watch ${ref} ${threadId}` });
  }
  return exitCodeOf(status === "blocked" ? status : "");
}
