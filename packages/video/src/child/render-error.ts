/** Why the video could not be made. */
export type RenderFailure =
  /** No space is left for the files. */
  | "disk_full"
  /** The timeline is missing, or not one line of it is an event. */
  | "timeline_unreadable"
  | "out_of_memory"
  /** It used much processor time, without any output. */
  | "stalled"
  /** It needs more processor time than it may have. */
  | "too_long"
  /** The machine is busy: it got too little processor time. Nothing is wrong with the video. */
  | "starved"
  /** A signal ended the process; with SIGKILL often the kernel's, for want of memory. */
  | "killed"
  /** Anything else. */
  | "failed";

/** The message is a sentence for users. */
export class RenderError extends Error {
  readonly failure: RenderFailure;

  constructor(failure: RenderFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "RenderError";
    this.failure = failure;
  }
}
