import type { LanguageModelV4FinishReason } from "@ai-sdk/provider";
import type { FinishReason } from "../shown/events.ts";

/** In our stream `tool-calls` means "paused, send results", so the model's own `tool-calls` is not passed on. */
const reasons: Readonly<Record<LanguageModelV4FinishReason["unified"], FinishReason>> = {
  stop: "stop",
  length: "length",
  "content-filter": "content-filter",
  error: "error",
  "tool-calls": "other",
  interrupted: "other",
  other: "other",
};

export function toFinishReason(reason: LanguageModelV4FinishReason["unified"]): FinishReason {
  return reasons[reason];
}
