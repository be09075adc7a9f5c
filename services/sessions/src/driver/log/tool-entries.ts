import type { NewEntry } from "@muster/log-entries";
import type { PendingToolCall } from "../../engine/boundary/frame.ts";
import type { ToolOutcome } from "../../engine/boundary/machine.ts";
import type { ToolCallPart } from "../../engine/conversation/conversation.ts";
import type { Where } from "./log-places.ts";
import { shorten, shortenText } from "./shorten.ts";

type Call = Pick<PendingToolCall, "toolCallId" | "toolName" | "args" | "source">;

export function toolCallEntry(
  { toolCallId, toolName, args, source }: Call,
  executor: "caller" | "platform" | "provider",
  where: Where,
): NewEntry {
  return { type: "tool-call", ...where, toolCallId, toolName, args: shorten(args), source, executor };
}

/** Without an outcome, the caller has sent no result. */
export function toolResultEntry(
  { toolCallId, toolName }: Pick<Call, "toolCallId" | "toolName">,
  outcome: ToolOutcome["outcome"] | undefined,
  where: Where,
): NewEntry {
  const entry = { type: "tool-result" as const, ...where, toolCallId, toolName };
  if (outcome === undefined) return { ...entry, status: "cancelled" };
  return outcome.type === "error"
    ? { ...entry, status: "error", error: shortenText(outcome.error) }
    : { ...entry, status: "done", result: shorten(outcome.result) };
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
