import { setTimeout as sleep } from "node:timers/promises";
import { type AgentWork, getThread, isFinal, type Recording, type Thread } from "../api/threads.ts";
import { failure } from "../exit.ts";
import type { Output } from "../output.ts";
import { retrying } from "./follow-thread.ts";

const waitSeconds = 25;
const pauseMs = 1_000;

/** Waits until the recording of a thread's latest run is final. Throws NO_RECORDING if there is and will be none. */
export async function awaitRecording(
  { agent, threadId }: { agent: AgentWork; threadId: string },
  signal: AbortSignal,
  onStatus: (status: string) => void,
): Promise<Recording> {
  const left = aborted(signal);
  let waited = 0;
  const thread = await retrying(signal, async (progress) => {
    const read = getThread(agent, threadId, waited);
    const found = await Promise.race([read, left]);
    progress();
    if (isOver(found)) return found;
    onStatus(found.recording?.status ?? found.status);
    if (waited > 0) await sleep(pauseMs, undefined, { signal });
    waited = waitSeconds;
    return undefined;
  });
  const { recording } = thread;
  if (recording?.status === "ready" && recording.url !== undefined) return recording;
  const reason = recording?.error ?? "It was not recorded; to record a run, add --record.";
  throw failure("NO_RECORDING", `${threadId} has no video. ${reason}`);
}

function isOver({ status, recording }: Thread): boolean {
  if (recording === undefined) return true;
  return isFinal(status) && !willChange(recording);
}

/** Whether the video is not final yet. */
export function willChange({ status }: Recording): boolean {
  return ["requested", "recording", "processing"].includes(status);
}

/** Rejects once the signal is aborted. No user has to wait for it. */
function aborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => undefined);
  signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  return promise;
}

/** The page that plays a video: its address without `.webm`. */
export function pageOf(url: string): string {
  const page = new URL(url);
  page.pathname = page.pathname.replace(/\.webm$/, "");
  return page.href;
}

/** After the outcome of a run: where its video is, or why there is none. */
export function showRecording(out: Output, { ref }: AgentWork, { threadId, recording }: Thread): void {
  if (recording === undefined) return;
  if (recording.url !== undefined) out.note(`Recording: ${pageOf(recording.url)}`);
  else if (willChange(recording)) {
    const args = `workforce watch ${ref} ${threadId} --recording`;
    out.hint({ purpose: "To watch its recording", args });
  } else out.note(`The run has no recording: ${recording.error ?? recording.status}`);
}
