/** An event of a session's turn or of a thread, as a service sends it. */
export interface RelayedEvent {
  readonly sequence: number;
  readonly type: string;
  /** On one line. */
  readonly json: string;
}

/** The last frame of every stream. */
export const doneFrame = "data: [DONE]\n\n";

/** A comment that clients skip; keeps proxies from closing a silent connection. */
export const heartbeatFrame = ": heartbeat\n\n";

export const sseHeaders = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
} as const;

/** The frames of a batch. The JSON is relayed unchanged: the service guarantees one line per event. */
export function framesOf(events: readonly RelayedEvent[]): string {
  let text = "";
  for (const event of events) text += `data: ${event.json}\n\n`;
  return text;
}

/** The same with the numbers by which a reader can continue. */
export function numberedFramesOf(events: readonly RelayedEvent[]): string {
  let text = "";
  for (const { sequence, json } of events) text += `id: ${sequence}\ndata: ${json}\n\n`;
  return text;
}

/**
 * For one response. Its n-th event usually has the number n, which readers therefore need not be told. Other events carry
 * their number: those after a gap, which a turn has if its process died.
 */
export function createCountedFrames(): typeof framesOf {
  let count = 0;
  return (events) => {
    let text = "";
    for (const { sequence, json } of events) {
      count += 1;
      text += sequence === count ? `data: ${json}\n\n` : `id: ${sequence}\ndata: ${json}\n\n`;
    }
    return text;
  };
}

/** The frame of an event that the gateway itself creates. */
export function frameOf(event: object): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}
