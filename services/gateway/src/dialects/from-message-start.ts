import type { StreamEvent, UiMessage, UiMessagePart } from "@muster/client";
import { messagesBefore } from "@muster/client/fold";
import type { Batch } from "../streams/event-stream.ts";
import type { RelayedEvent } from "../streams/frames.ts";
import type { StoredSession } from "./stored-session.ts";

/** A turn that a reader follows who has nothing of its message. */
interface FollowedTurn {
  /** The messages before that of the turn. */
  before: readonly UiMessage[];
  /** Its events from the latest request on, and before those of that request, what the message already contained. */
  batches: AsyncIterable<Batch>;
}

/** `batches`: the events of the latest request of the turn, from the first one. */
export async function fromMessageStart(
  batches: AsyncIterator<Batch>,
  { turn, messages }: StoredSession,
): Promise<FollowedTurn> {
  // A turn that has ended meanwhile is in the messages as a whole.
  const until = turn === undefined ? Number.POSITIVE_INFINITY : Math.max(turn.afterSequence, 1);
  const events: RelayedEvent[] = [];
  while ((events.at(-1)?.sequence ?? 0) < until) {
    const next = await batches.next();
    if (next.done === true) break;
    for (const event of next.value.events) events.push(event);
  }
  const shown = messagesBefore(messages, marksOf(events.filter(({ sequence }) => sequence <= until)));
  const [start] = events;
  const messageId: unknown = start?.type === "start" ? JSON.parse(start.json).messageId : undefined;
  const parts = shown.find(({ id }) => id === messageId)?.parts ?? [];
  const earlier = parts.flatMap((part, index) => eventsOf(part, `earlier-${index}`));
  const settled = new Set(earlier.flatMap((event) => (isOutcome(event) ? event.toolCallId : [])));
  const isNew = ({ type, json }: RelayedEvent) =>
    settled.size === 0 || !type.startsWith("tool-output-") || !settled.has(JSON.parse(json).toolCallId);
  const added = earlier.map((event) => ({ sequence: 1, type: event.type, json: JSON.stringify(event) }));
  const rest = events.slice(1).filter(isNew);
  const all = [...events.slice(0, 1), ...added, ...rest];
  return { before: shown.filter(({ id }) => id !== messageId), batches: startingWith(all, batches) };
}

async function* startingWith(
  events: readonly RelayedEvent[],
  batches: AsyncIterator<Batch>,
): AsyncGenerator<Batch, void, undefined> {
  yield { events };
  yield* { [Symbol.asyncIterator]: () => batches };
}

/** Without deltas that only make a part longer. */
function marksOf(events: readonly RelayedEvent[]): StreamEvent[] {
  const marks = events.filter(
    ({ type }, index) => !type.endsWith("-delta") || events[index - 1]?.type !== type,
  );
  return marks.map(({ json }): StreamEvent => JSON.parse(json));
}

function isOutcome(event: StreamEvent) {
  return event.type === "tool-output-available" || event.type === "tool-output-error";
}

/** The events that make a part of the main conversation. */
function eventsOf(part: UiMessagePart, id: string): StreamEvent[] {
  if (part.thread !== undefined) return [];
  switch (part.type) {
    case "text":
      return [
        { type: "text-start", id },
        { type: "text-delta", id, delta: part.text },
        { type: "text-end", id },
      ];
    case "reasoning":
      return [
        { type: "reasoning-start", id },
        { type: "reasoning-delta", id, delta: part.text },
        { type: "reasoning-end", id },
      ];
    case "step-start":
      return [{ type: "step-start", step: 2 }];
    case "tool-call": {
      const { toolCallId, toolName, args, result, error, status } = part;
      const call: StreamEvent = { type: "tool-input-available", toolCallId, toolName, input: args };
      if (status === "done")
        return [call, { type: "tool-output-available", toolCallId, output: result ?? null }];
      return error === undefined ? [call] : [call, { type: "tool-output-error", toolCallId, error }];
    }
    case "file":
      return [{ type: "file-available", id: part.id, mediaType: part.mediaType, url: part.url }];
    default:
      return [];
  }
}
