import { type AgentWork, getThread, isFinal } from "../api/threads.ts";
import { type ExitCode, exitCodes } from "../exit.ts";
import type { Invocation } from "../invocation.ts";
import { followThread } from "./follow-thread.ts";
import { exitCodeOf, showOutcome } from "./outcome.ts";
import { showRecording, willChange } from "./recording.ts";
import { ThreadDecisions } from "./thread-decisions.ts";
import { WorkPrinter } from "./work-printer.ts";

const noteAfterMs = 1_000;

/** Shows a thread live until it is final. Ctrl-C stops the watching, not the work. `after`: the last event to skip. */
export async function watchThread(
  { io, out }: Invocation,
  agent: AgentWork,
  threadId: string,
  after = 0,
): Promise<ExitCode> {
  const leaving = new AbortController();
  const decisions = new ThreadDecisions({ io, out, api: agent.api, leaving });
  const stopListening = io.onInterrupt(() => leaving.abort());
  const printer = new WorkPrinter(out);
  let status = "started";
  let isOver = false;
  let hasVideo = false;
  let noting: NodeJS.Timeout | undefined;
  const onEvent = (event: Parameters<WorkPrinter["show"]>[0]) => {
    if (event.type === "thread-status") decisions.statusChanged(event);
    if (!out.json) printer.show(event);
    if (event.type !== "thread-status") return;
    clearTimeout(noting);
    status = String(event.status);
    isOver = isFinal(status);
    // The events of a recorded run end once its video is made.
    if (isOver && !out.json) noting = setTimeout(noteVideo, noteAfterMs);
  };
  const noteVideo = async () => {
    // Without an answer, only this note is missing: the reading of the events reports the failure.
    const thread = await getThread(agent, threadId).catch(() => undefined);
    if (noting === undefined || thread?.recording === undefined || !willChange(thread.recording)) return;
    hasVideo = true;
    out.note("The video is being made; press Ctrl-C to stop waiting.");
  };
  const stopWaiting = out.waiting(() => {
    if (decisions.isAsking) return undefined;
    return hasVideo ? "The video is being made" : `${agent.name}: ${status}`;
  });
  try {
    const thread = await followThread({ agent, threadId, after, signal: leaving.signal, onEvent });
    printer.end();
    if (out.json) out.document(thread.document);
    else {
      showOutcome(out, thread);
      showRecording(out, agent, thread);
    }
    return exitCodeOf(thread.status);
  } catch (error) {
    printer.end();
    if (!leaving.signal.aborted) throw error;
    if (!isOver) out.note(`${agent.name} keeps working.`);
    const purpose = hasVideo ? "To watch its video later" : "To watch it again";
    const args = `workforce watch ${agent.ref} ${threadId}${hasVideo ? " --recording" : ""}`;
    out.hint({ purpose, args });
    return exitCodes.interrupted;
  } finally {
    clearTimeout(noting);
    noting = undefined;
    decisions.close();
    stopWaiting();
    stopListening();
  }
}
