import type { PendingToolCall, ToolCallPart, ToolOutcome } from "@muster/engine";
import type { NewEntry } from "@muster/wire/log-entries";
import type { Where } from "./log-places.ts";
import { Excerpts } from "./shorten.ts";

type Call = Pick<PendingToolCall, "toolCallId" | "toolName" | "args" | "source">;

export function toolCallEntry(
  { toolCallId, toolName, args, source }: Call,
  executor: "caller" | "platform" | "provider",
  where: Where,
): NewEntry {
  const excerpts = new Excerpts();
  const about = { ...where, toolCallId, toolName, args: excerpts.value(args), source, executor };
  return { type: "tool-call", ...about, ...excerpts.mark };
}

/** Without an outcome, the caller has sent no result. */
export function toolResultEntry(
  { toolCallId, toolName }: Pick<Call, "toolCallId" | "toolName">,
  outcome: ToolOutcome["outcome"] | undefined,
  where: Where,
): NewEntry {
  const entry = { type: "tool-result" as const, ...where, toolCallId, toolName };
  if (outcome === undefined) return { ...entry, status: "cancelled" };
  const excerpts = new Excerpts();
  return outcome.type === "error"
    ? { ...entry, status: "error", error: excerpts.text(outcome.error), ...excerpts.mark }
    : { ...entry, status: "done", result: excerpts.value(outcome.result), ...excerpts.mark };
}

/** The outcome of a call that needed no caller: a platform tool ran it, or it could not be made. */
export function outcomeOf({
  status,
  error,
  result,
  reference,
}: ToolCallPart): ToolOutcome["outcome"] | undefined {
  if (status === "error") return { type: "error", error: error ?? "The tool failed." };
  if (status !== "done") return undefined;
  return { type: "result", result: reference === undefined ? (result ?? null) : { reference } };
}
