import type { DeclaredWorker, DefinitionSource, Diagnostic } from "@muster/language";

/** The thread's first message: it has loaded everything that it needs. */
export const ready = "ready";

/** A definition for the thread, and the slugs of the project's MCP servers if they are known. */
export interface CheckRequest {
  readonly source: DefinitionSource;
  readonly mcpServers?: readonly string[] | undefined;
}

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
