/** Why the video could not be made. */
export type RenderFailure =
  /** No space is left for the files. */
  | "disk_full"
  /** The timeline is missing, or not one line of it is an event. */
  | "timeline_unreadable"
  | "out_of_memory"
  /** Nothing came out for too long. */
  | "stalled"
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
