/** Why a process was killed, if it did not end by itself. */
export type KillReason = "aborted" | "timeout" | "memory" | "output" | "disk" | "broken";

/** The process did not get to its end; nothing of it is kept. */
export class JobKilledError extends Error {
  readonly reason: KillReason | "crashed";

  constructor(reason: KillReason | "crashed", message: string) {
    super(message);
    this.name = "JobKilledError";
    this.reason = reason;
  }
}
