import type { Diagnostic } from "@muster/protocol";

/** What the worker answers to a definition. Only errors travel; the program is compiled again where it runs. */
export interface CheckReply {
  readonly errors: readonly Diagnostic[];
}

/** The sender is our own worker, so the outside is enough to tell its replies from anything else. */
export function isCheckReply(value: unknown): value is CheckReply {
  return typeof value === "object" && value !== null && "errors" in value && Array.isArray(value.errors);
}
