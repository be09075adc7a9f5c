import { resolve } from "node:path";
import type { AgentWork } from "../../api/threads.ts";
import { type ExitCode, exitCodes, usageError } from "../../exit.ts";
import { examples } from "../../help.ts";
import type { AddCommand, Handler, Invocation } from "../../invocation.ts";
import { download } from "../../workforce/download.ts";
import { findWork } from "../../workforce/find-work.ts";
import { awaitRecording, pageOf } from "../../workforce/recording.ts";
import { watchThread } from "../../workforce/watch-thread.ts";

export const watchWorkforce: AddCommand = (group, act) => {
  group
    .command("watch")
    .description("Show what a workforce agent does in a thread, from its beginning to its end, or its video.")
    .argument("<agent>", "Name, slug or id of the agent")
    .argument("<thread>", "Id of the thread")
    .option("--recording", "Wait for the video of the run, and print the address of a page that plays it")
    .option("--output <file>", "With --recording: download the video to this file instead")
    .addHelpText(
      "after",
      examples(
        "muster workforce watch Lou thr_01m2k3",
        "muster workforce watch Lou thr_01m2k3 --recording",
        "muster workforce watch Lou thr_01m2k3 --recording --output run.webm",
      ),
    )
    .action(act(handle));
};

const handle: Handler = async (invocation) => {
  const { args, io, options } = invocation;
  const [name = "", threadId = ""] = args;
  const output = options.text("output");
  if (output !== undefined && !options.flag("recording"))
    throw usageError("--output is for the video. Add --recording.");
  const path = output === undefined ? undefined : resolve(io.cwd, output);
  const agent = await findWork(invocation, name);
  return options.flag("recording")
    ? watchRecording(invocation, agent, threadId, path)
    : watchThread(invocation, agent, threadId);
};

async function watchRecording(
  { io, out }: Invocation,
  agent: AgentWork,
  threadId: string,
  path: string | undefined,
): Promise<ExitCode> {
  const leaving = new AbortController();
  const stopListening = io.onInterrupt(() => leaving.abort());
  let shown = "";
  const stopWaiting = out.waiting(() => `Waiting for the video: ${shown}`);
  const showStatus = (status: string) => {
    if (status !== shown && !out.json) out.note(out.noteStyle("dim", `[${status}]`));
    shown = status;
  };
  try {
    const { url = "", ...recording } = await awaitRecording({ agent, threadId }, leaving.signal, showStatus);
    const page = pageOf(url);
    stopWaiting();
    if (path !== undefined) {
      const onProgress = (bytes: number) =>
        out.progress(`Downloading the video: ${bytes.toLocaleString("en")} bytes`);
      await download(url, path, { signal: leaving.signal, onProgress });
    }
    if (out.json) out.document({ threadId, ...recording, url, page, ...(path !== undefined && { path }) });
    else out.line(path ?? page);
    return exitCodes.fine;
  } catch (error) {
    if (!leaving.signal.aborted) throw error;
    return exitCodes.interrupted;
  } finally {
    stopWaiting();
    stopListening();
  }
}
