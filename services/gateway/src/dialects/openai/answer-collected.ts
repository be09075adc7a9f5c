import type { FastifyReply } from "fastify";
import type { GatewayContext } from "../../context.ts";
import { sendJsonText } from "../../edge/http/json-text.ts";
import type { RelayedEvent } from "../../streams/frames.ts";
import { answerTurn, hold, type OpenSource } from "../../streams/relay.ts";
import type { TurnBatch } from "../../streams/turn-collector.ts";

/** A document about a turn, made from its events. */
export interface TurnDocument {
  frames(events: readonly RelayedEvent[]): string;
  /** Undefined if the turn has not ended. */
  document(): object | undefined;
}

/** Answers with the document once the turn has ended or paused. */
export function answerCollected(
  context: GatewayContext,
  reply: FastifyReply,
  open: OpenSource<TurnBatch>,
  collected: TurnDocument,
): Promise<void> {
  async function* observed(signal: AbortSignal): AsyncGenerator<TurnBatch, void, undefined> {
    for await (const batch of open(signal)) {
      collected.frames(batch.events);
      yield batch;
    }
  }
  return answerTurn(context.streams, reply, observed, undefined, () => {
    const document = collected.document();
    return document && [JSON.stringify(document)];
  });
}

/**
 * Answers with the document once it contains the event with the number `enough`, or else when the turn has ended or paused,
 * also if it has failed. `changes`: members to replace.
 */
export async function answerSoFar(
  context: GatewayContext,
  reply: FastifyReply,
  open: OpenSource,
  collected: TurnDocument,
  { enough, changes }: { enough?: number | undefined; changes?: object } = {},
): Promise<void> {
  const document = await hold(context.streams, reply, async (signal) => {
    for await (const { events } of open(signal)) {
      collected.frames(events);
      if (enough !== undefined && (events.at(-1)?.sequence ?? 0) >= enough) break;
    }
    return { ...collected.document(), ...changes };
  });
  if (document !== undefined) sendJsonText(reply, JSON.stringify(document));
}
