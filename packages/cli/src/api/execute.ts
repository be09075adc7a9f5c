import type { Api } from "../http/api.ts";
import { byOf, pathOf } from "./agents.ts";
import type { StreamEvent, ToolResult } from "./sessions.ts";

export type WorkerCommand =
  | { readonly type: "start"; readonly input: Readonly<Record<string, unknown>> }
  | { readonly type: "continue"; readonly executionId: string; readonly toolResults: readonly ToolResult[] };

/** Yields the events of a worker's run until it ends or pauses. `name` is a slug or an id. */
export function execute(
  api: Api,
  name: string,
  command: WorkerCommand,
  signal: AbortSignal,
): AsyncIterable<StreamEvent> {
  return api.stream("POST", `${pathOf(name)}/execute`, command, signal, { by: byOf(name) });
}
