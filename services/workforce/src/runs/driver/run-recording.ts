import type { WorkforceContext } from "../../context.ts";
import type { RecordingOfRun } from "../../events/state-after.ts";
import type { TurnMessage } from "../../events/thread-log.ts";
import { isRecorded, newRecording } from "../../recordings/begin-recording.ts";
import { endRecording } from "../../recordings/end-recording.ts";
import { type RecordingDocument, timelineOf, type UsedSoFar } from "../../store/recording-document.ts";
import type { StoredMessage, ThreadDocument } from "../../store/thread-document.ts";
import { endOfRun } from "../../store/thread-recording.ts";
import type { FinalStatus } from "../../store/thread-transitions.ts";
import type { ActiveRun } from "../slot/active-run.ts";
import { persist } from "./persist.ts";

/** Where the timeline of a thread's run begins. Undefined: it is not recorded, or has not begun. */
export function recordingOfRun(thread: ThreadDocument): RecordingOfRun | undefined {
  if (!isRecorded(thread)) return undefined;
  return { id: thread.recording.id, startedAtMs: thread.recording.startedAt.getTime() };
}

/** A message as an event of a timeline. */
export function turnMessage({ id, text, files, at }: StoredMessage): TurnMessage {
  const shown = files.map(({ filename, mediaType, size }) => ({ filename, mediaType, size }));
  const event = { type: "user-message", id, text, files: shown, createdAt: at.toISOString() };
  return { id, type: event.type, json: JSON.stringify(event) };
}

/** The recording of one run, if there is one. */
export class RunRecording {
  readonly #context: WorkforceContext;
  readonly #run: ActiveRun;
  #recording: RecordingDocument | undefined;
  #begun: Promise<void> = Promise.resolve();

  constructor(context: WorkforceContext, run: ActiveRun) {
    this.#context = context;
    this.#run = run;
  }

  /**
   * The run has reached its computer: with the thread in its present state, or before an earlier process died. No
   * caller waits for it.
   */
  begin(thread: ThreadDocument): void {
    if (!isRecorded(thread)) return;
    const recording = newRecording(thread, this.#run.agent);
    this.#recording = recording;
    this.#begun = persist(this.#run, () => this.#context.recordings.insert(recording));
    // The end of the run waits for it, unless the run continues elsewhere.
    this.#begun.catch(() => undefined);
  }

  /** The run has ended, and its last event is stored. Safe to repeat. */
  async end(status: FinalStatus, usage: UsedSoFar | null): Promise<void> {
    const recording = this.#recording;
    if (recording === undefined) return;
    await this.#begun;
    const end = await persist(this.#run, () => this.#endOf(recording, status));
    const ended = { ...end, ...(usage && { usage }) };
    await persist(this.#run, () => endRecording(this.#context, recording, ended));
  }

  /** The same, after the death of the process that had ended the thread. */
  async conclude(status: FinalStatus): Promise<void> {
    const recording = this.#recording;
    if (recording === undefined) return;
    const { threadEvents } = this.#context;
    const usage = await persist(this.#run, () => threadEvents.usedIn(timelineOf(recording)));
    await this.end(status, usage);
  }

  async #endOf({ _id }: RecordingDocument, status: FinalStatus) {
    const { clock, threads } = this.#context;
    const known = { status, at: new Date(clock.now()) };
    if (status === "completed") return known;
    const thread = await threads.find(this.#run.threadKey);
    return (thread && endOfRun(thread, _id)) ?? known;
  }
}
