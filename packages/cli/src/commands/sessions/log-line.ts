import { isPlainObject } from "@muster/language/json";
import type { LogEntry } from "../../api/get-session-log.ts";
import type { Output } from "../../output.ts";
import { optionalText } from "../../read.ts";

const typeWidth = "worker-execution".length;

/** Shown in their own columns, or of no use to readers. */
const leftOut: ReadonlySet<string> = new Set([
  ...["type", "id", "sequence", "timestamp", "executionId"],
  ...["blockName", "thread", "workerId", "messageId", "blockId", "priceVersion"],
]);

/** One line for an entry: time, type, block and thread, then what happened. */
export function logLine(entry: LogEntry, out: Output): string {
  const type = optionalText(entry, "type") ?? "entry";
  const isFailure = type === "error" || type === "abort";
  const time = (optionalText(entry, "timestamp") ?? "").slice(11, 23);
  const place = [optionalText(entry, "blockName"), optionalText(entry, "thread")]
    .filter(isPresent)
    .join(" / ");
  const head = `${out.style("dim", time)}  ${out.style(isFailure ? "red" : "bold", type.padEnd(typeWidth))}`;
  return [head, place === "" ? undefined : `[${place}]`, detailsOf(type, entry)].filter(isPresent).join("  ");
}

function detailsOf(type: string, entry: LogEntry): string {
  if (type === "step-stats") return statsOf(entry);
  const told = Object.entries(entry).filter(([name, value]) => !leftOut.has(name) && value !== undefined);
  return told.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(" ");
}

function statsOf(entry: LogEntry): string {
  const { model, finishReason, latencyMs } = entry;
  const tokens = isPlainObject(entry.tokens) ? entry.tokens : undefined;
  const fee = isPlainObject(entry.cost) ? optionalText(entry.cost, "totalFee") : undefined;
  const parts = [
    `${String(model)}${entry.isBackup === true ? " (backup)" : ""}: ${String(finishReason)}`,
    `${String(latencyMs)} ms`,
    tokens && `${String(tokens.inputTokens)} + ${String(tokens.outputTokens)} tokens`,
    fee && `$${fee}`,
  ];
  return parts.filter(isPresent).join(", ");
}

function isPresent(text: string | undefined): text is string {
  return text !== undefined && text !== "";
}
