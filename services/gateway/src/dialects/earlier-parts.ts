import { parseInSlices } from "@muster/large-data";
import { type CurrentTurn, View } from "@muster/proto/sessions";
import type { StreamEvent, UiMessage, UiPart } from "@muster/wire/events";
import type { FastifyReply } from "fastify";
import type { GatewayContext } from "../context.ts";
import { baseUrlOf } from "../edge/http/headers.ts";
import { readStream } from "../routes/sessions/read-stream.ts";
import type { Batch } from "../streams/event-stream.ts";
import type { RelayedEvent } from "../streams/frames.ts";

/** A session as users see it. `turn`: the one that is running or waits, which `messages` contain up to an event. */
interface StoredSession {
  turn: CurrentTurn | undefined;
  messages: readonly UiMessage[];
}

/** The session with its newest `limit` messages. Undefined limit: all. Throws NOT_FOUND if it does not exist. */
export async function storedSession(
  context: GatewayContext,
  { request, raw }: FastifyReply,
  { sessionId, limit }: { sessionId: string; limit: number | undefined },
): Promise<StoredSession> {
  const filesBaseUrl = context.publicUrl ?? baseUrlOf(request) ?? "";
  const wanted = { sessionId, ...(limit !== undefined && { limit }), view: View.UI, filesBaseUrl };
  let json = "";
  const responses = readStream(context, request, raw, (options) =>
    context.sessions.getSession(wanted, options),
  );
  let turn: StoredSession["turn"];
  for await (const { session, messagesJson } of responses) {
    turn ??= session?.turn;
    json += messagesJson;
  }
  return { turn, messages: await parseInSlices(`[${json}]`) };
}

/**
 * The events of a turn from its latest request on, and before the outcomes that this request brought, what the message of
 * the turn already contained: a reader who has nothing of it needs the calls first. `parts`: those of the message.
 */
export async function* withEarlierParts(
  batches: AsyncIterable<Batch>,
  parts: readonly UiPart[],
): AsyncGenerator<Batch, void, undefined> {
  const known = new Set<unknown>();
  const settled = new Set<unknown>();
  let shown = 0;
  const before = (event: RelayedEvent): RelayedEvent[] => {
    const until = parts.findIndex((part) => callIdOf(part) === callOf(event)) + 1;
    const earlier = parts
      .slice(shown, until)
      .flatMap((part, index) => eventsOf(part, `earlier-${shown + index}`));
    shown = Math.max(shown, until);
    return earlier.map((each) => ({ sequence: event.sequence, type: each.type, json: JSON.stringify(each) }));
  };
  for await (const batch of batches) {
    const events: RelayedEvent[] = [];
    for (const event of batch.events) {
      const isOutcome = event.type.startsWith("tool-output-");
      if (!isOutcome) {
        if (event.type.startsWith("tool-input-") && !event.type.endsWith("-delta")) known.add(callOf(event));
        events.push(event);
        continue;
      }
      if (!known.has(callOf(event))) {
        for (const each of before(event)) {
          known.add(callOf(each));
          if (each.type.startsWith("tool-output-")) settled.add(callOf(each));
          events.push(each);
        }
      }
      if (!settled.has(callOf(event))) events.push(event);
    }
    yield { ...batch, events };
  }
}

/** The call of an event. */
function callOf({ json }: RelayedEvent): unknown {
  const event: Record<string, unknown> = JSON.parse(json);
  return event.toolCallId;
}

function callIdOf(part: UiPart): string | undefined {
  return part.type === "tool-call" ? part.toolCallId : undefined;
}

/** The events that make a part of the main conversation. */
function eventsOf(part: UiPart, id: string): StreamEvent[] {
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

/** It belongs to a worker or to a named thread. */
export function isInner(event: StreamEvent): boolean {
  if ("thread" in event) return true;
  return event.type.startsWith("worker-") ? "parentWorkerId" in event : "workerId" in event;
}
