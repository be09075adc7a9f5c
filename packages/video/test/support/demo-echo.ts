import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { TimelineEvent } from "../../src/timeline-event.ts";

/** The events of a run of the demo model, as the product streamed them, with their times. */
export function readTimeline(): TimelineEvent[] {
  const text = readFileSync(join(import.meta.dirname, "demo-echo.jsonl"), "utf8");
  return text
    .trim()
    .split("\n")
    .map((line): TimelineEvent => JSON.parse(line));
}
