import type { FastifyReply } from "fastify";
import type { GatewayContext } from "../../context.ts";
import type { RelayedEvent } from "../../streams/frames.ts";
import { answerTurn, type OpenSource } from "../../streams/relay.ts";
import type { TurnBatch } from "../../streams/turn-collector.ts";

/** A document about a turn, made from its events. */
export interface TurnDocument {
  collect(events: readonly RelayedEvent[]): void;
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
      collected.collect(batch.events);
      yield batch;
    }
  }
  return answerTurn(context.streams, reply, observed, undefined, () => {
    const document = collected.document();
    return document && [JSON.stringify(document)];
  });
}
