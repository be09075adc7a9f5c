import { getThread, type Thread } from "../../api/threads.ts";
import { examples } from "../../help.ts";
import type { AddCommand, Handler } from "../../invocation.ts";
import type { Output } from "../../output.ts";
import { linesOfMessage } from "../../session-messages.ts";
import { findHiredAgent } from "../../workforce/find-hired-agent.ts";
import { findWork } from "../../workforce/find-work.ts";
import { costOf } from "../../workforce/outcome.ts";
import { pageOf } from "../../workforce/recording.ts";
import { showHiredAgent } from "../../workforce/show-agent.ts";

export const showWorkforce: AddCommand = (group, act) => {
  group
    .command("show")
    .description("Show a workforce agent with its settings and limits, or one of its threads.")
    .argument("<agent>", "Name, slug or id of the agent")
    .argument("[thread]", "Id of the thread")
    .addHelpText("after", examples("muster workforce show Lou", "muster workforce show Lou thr_01m2k3"))
    .action(act(handle));
};

const handle: Handler = async (invocation) => {
  const { args, out } = invocation;
  const [name = "", threadId] = args;
  if (threadId === undefined) {
    const api = invocation.api();
    const agent = await findHiredAgent(api, name);
    if (out.json) out.document(agent.document);
    else await showHiredAgent(out, api, agent);
    return;
  }
  const thread = await getThread(await findWork(invocation, name), threadId);
  if (out.json) out.document(thread.document);
  else showThread(out, thread);
};

function showThread(out: Output, thread: Thread): void {
  const {
    threadId,
    status,
    approvalIds,
    toolCallIds,
    failureReason,
    failureType,
    usage,
    messages,
    recording,
    origin,
  } = thread;
  const bold = (text: string) => out.style("bold", text);
  out.line([`${bold(threadId)} ${status}`, ...costOf(usage)].join(", "));
  if (failureReason !== undefined) out.line(`${failureReason} (${failureType})`);
  if (origin !== undefined) out.line(`Started by the ${origin.kind} ${origin.id}`);
  for (const id of approvalIds) out.line(`Waits for ${id}`);
  for (const id of toolCallIds) out.line(`Waits for the service of the call ${id}`);
  if (recording?.url !== undefined) out.line(`Recording: ${pageOf(recording.url)}`);
  for (const message of messages) for (const line of linesOfMessage(message, bold)) out.line(line);
}
