import type { StreamEvent } from "../engine/events.ts";

/**
 * The event as it is relayed: JSON on one line. Text deltas are most of all events, and for these putting the
 * text together takes half the time of a general `JSON.stringify`.
 */
export function encodeEvent(event: StreamEvent): string {
  if (event.type === "text-delta" && event.thread === undefined) {
    return `{"type":"text-delta","id":${JSON.stringify(event.id)},"delta":${JSON.stringify(event.delta)}}`;
  }
  return JSON.stringify(event);
}
