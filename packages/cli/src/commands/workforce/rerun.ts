import { getThread, startThread, type Thread } from "../../api/threads.ts";
import { usageError } from "../../exit.ts";
import { examples } from "../../help.ts";
import type { AddCommand, Handler } from "../../invocation.ts";
import { records } from "../../read.ts";
import { findWork } from "../../workforce/find-work.ts";
import { addSettingOptions, capabilitiesOf, settingsOf } from "../../workforce/options.ts";
import { showDispatch } from "./run.ts";

export const rerunWorkforce: AddCommand = (group, act) => {
  const command = group
    .command("rerun")
    .description(
      "Send the first message of a thread again, as a new thread with the agent's present version.",
    )
    .argument("<agent>", "Name, slug or id of the agent")
    .argument("<thread>", "Id of the thread")
    .option("--wait", "Show what the agent does, and end when it has finished");
  addSettingOptions(command)
    .addHelpText(
      "after",
      examples(
        "muster workforce rerun Lou thr_01m2k3 --wait",
        "muster workforce rerun Lou thr_01m2k3 --model anthropic/claude-sonnet-4-5",
      ),
    )
    .action(act(handle));
};

const handle: Handler = async (invocation) => {
  const { args, options } = invocation;
  const [name = "", threadId = ""] = args;
  const agent = await findWork(invocation, name);
  const thread = await getThread(agent, threadId);
  const capabilities = capabilitiesOf(options);
  const config = { ...recordingOf(thread), ...settingsOf(options), capabilities };
  return showDispatch(
    invocation,
    agent,
    await startThread(agent, { ...firstMessage(thread), config }, undefined),
  );
};

/** The settings of the run are those that the agent has now, but for its recording. */
function recordingOf({ recording }: Thread): Record<string, unknown> {
  return recording === undefined ? {} : { record: true, recordVisibility: recording.visibility };
}

function firstMessage({ threadId, messages }: Thread): Record<string, unknown> {
  const first = messages.find(({ role }) => role === "user");
  if (first === undefined) throw usageError(`${threadId} has no message that could be sent again.`);
  const parts = records(first, "parts");
  const message = parts.flatMap(({ type, text }) => (type === "text" ? [String(text)] : [])).join("\n");
  const files = parts.filter(({ type }) => type === "file").map(({ type: _, status: __, ...file }) => file);
  return { message, ...(files.length > 0 && { files }) };
}
