import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { TimelineEvent } from "../timeline-event.ts";

export interface TimelineLine {
  event: TimelineEvent;
  /** How much of the file has been read with this line, from 0 to 1. */
  share: number;
}

/** A longer line is left out. The timeline's writer splits output into much smaller events. */
const maxLineBytes = 4 << 20;
const newline = 10;

/**
 * The events of a timeline, one JSON object a line, read piece by piece. Lines that are not events, such as the last one of
 * a file that was cut, are left out. An empty file has no events.
 */
export async function* readTimeline(path: string): AsyncGenerator<TimelineLine> {
  const { size } = await stat(path).catch((error) => {
    throw new UnreadableTimeline("The timeline cannot be opened.", { cause: error });
  });
  let doneBytes = 0;
  let events = 0;
  for await (const line of linesOf(createReadStream(path))) {
    doneBytes += line.byteLength + 1;
    const event = parseEvent(line);
    if (event === undefined) continue;
    events++;
    yield { event, share: Math.min(1, doneBytes / size) };
  }
  if (events === 0 && size > 0) throw new UnreadableTimeline("The timeline holds no event that can be read.");
}

/** The file is missing, or not one line of it is an event. */
export class UnreadableTimeline extends Error {}

/** The lines of a stream. One that is too long stays empty. */
async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      yield Buffer.concat([...parts, chunk.subarray(start, end)]);
      parts = [];
      bytes = 0;
      start = end + 1;
    }
    bytes += chunk.length - start;
    parts = bytes > maxLineBytes ? [] : [...parts, chunk.subarray(start)];
  }
  if (bytes > 0) yield Buffer.concat(parts);
}

function parseEvent(line: Buffer): TimelineEvent | undefined {
  if (line.length === 0) return undefined;
  try {
    const value: unknown = JSON.parse(line.toString());
    return isEvent(value) ? { atMs: value.atMs, type: value.type, json: value.json } : undefined;
  } catch {
    return undefined;
  }
}

function isEvent(value: unknown): value is TimelineEvent {
  if (typeof value !== "object" || value === null) return false;
  const { atMs, type, json } = value as Partial<Record<keyof TimelineEvent, unknown>>;
  return Number.isFinite(atMs) && Number(atMs) >= 0 && typeof type === "string" && typeof json === "string";
}
