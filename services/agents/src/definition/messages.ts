import type { DeclaredWorker, Diagnostic } from "@muster/language";

/** The thread's first message: it has loaded everything that it needs. */
export const ready = "ready";

/** The thread's reply to a definition. It does not contain the program, which is compiled again where it runs. */
export interface CheckReply {
  readonly issues: readonly Diagnostic[];
  readonly workers: readonly DeclaredWorker[];
}

export function isReady(value: unknown): value is typeof ready {
  return value === ready;
}

/** The sender is our own thread, so checking the outer shape suffices. */
export function isCheckReply(value: unknown): value is CheckReply {
  return typeof value === "object" && value !== null && "issues" in value && "workers" in value;
}
