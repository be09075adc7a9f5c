import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestScope, temporaryDirectory } from "@muster/testing";
import type { RenderJob } from "../../src/child/job.ts";
import type { TimelineEvent } from "../../src/timeline-event.ts";

export function eventAt(atMs: number, type: string, body: object): TimelineEvent {
  return { atMs, type, json: JSON.stringify({ type, ...body }) };
}

/** A run in which a command prints a line and the agent a word, ten times a second. */
export function busyEvents(runMs: number): TimelineEvent[] {
  const steps = Array.from({ length: Math.floor(runMs / 100) }, (_, step) => step * 100);
  return steps.flatMap((atMs) => [
    eventAt(atMs, "computer-output", {
      ...{
        toolCallId: "call-1",
        stream: "stdout",
        text: `\u001b[3${atMs % 7}mline ${atMs}\u001b[0m done\r\n`,
      },
    }),
    eventAt(atMs, "text-delta", { id: "message-1", delta: `word${atMs} ` }),
  ]);
}

/** A job in a new folder: to render these events, with a normal priority. */
export async function jobFor(t: TestScope, events: TimelineEvent[]): Promise<RenderJob> {
  const directory = await temporaryDirectory(t);
  const timelineFile = join(directory, "timeline");
  await writeFile(timelineFile, events.map((event) => `${JSON.stringify(event)}\n`).join(""));
  const endedAtMs = events.at(-1)?.atMs ?? 0;
  const facts = {
    agentName: "Ada",
    task: "Count lines",
    startedAtMs: 0,
    endedAtMs,
    status: "completed",
  } as const;
  const outputDirectory = join(directory, "out");
  // Tests run side by side, and one with a low priority would wait for all others.
  return { facts, timelineFile, outputDirectory, theme: "dark", priority: "normal" };
}
