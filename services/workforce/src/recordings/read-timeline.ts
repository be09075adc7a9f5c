import type { TimelineEvent } from "@muster/proto/recordings";
import { linesIn } from "@muster/store/event-log";
import type { ThreadEventStore, TimelineName } from "../events/thread-event-store.ts";
import { type ThreadEvents, timelineOf } from "../events/thread-events.ts";

/** Documents that are read at once. */
const pageSize = 8;
/** Characters of events in one message, unless a single event is longer. */
const messageLength = 64 * 1024;

/** The events of a recorded run in order, about 64 KiB at a time. The next ones are read when they are asked for. */
export async function* readTimeline(
  store: Pick<ThreadEventStore, "timeline">,
  name: TimelineName,
): AsyncGenerator<TimelineEvent[], void, undefined> {
  let gathered: TimelineEvent[] = [];
  let length = 0;
  let untilMs = 0;
  for (let after: string | undefined; ; ) {
    const page = await store.timeline(name, pageSize, after);
    for (const document of page) {
      for (const event of eventsOf(document, untilMs)) {
        untilMs = Number(event.atMs);
        gathered.push(event);
        length += event.json.length;
        if (length < messageLength) continue;
        yield gathered;
        gathered = [];
        length = 0;
      }
    }
    after = page.at(-1)?._id;
    if (page.length < pageSize) break;
  }
  if (gathered.length > 0) yield gathered;
}

/** `fromMs`: the time of the event before. */
function eventsOf(document: ThreadEvents, fromMs: number): TimelineEvent[] {
  const times = (document.recorded?.times ?? "").split(" ");
  let atMs = fromMs;
  return linesIn(timelineOf(document)).map(({ type, json }, index) => {
    atMs += Number(times[index] ?? 0);
    return { $typeName: "muster.workforce.v1.TimelineEvent", atMs: BigInt(atMs), type, json };
  });
}
