import type { Static } from "@muster/wire/schema";
import { callerOf } from "../../auth/identity.ts";
import type { AddRoute } from "../../context.ts";
import { type change, changesReply } from "../../schemas/system.ts";
import type { Batch } from "../../streams/event-stream.ts";
import { relay } from "../../streams/relay.ts";

export const followChanges: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/api/changes",
    exposeHeadRoute: false,
    config: { produces: ["text/event-stream"] },
    schema: {
      operationId: "followChanges",
      tags: ["System"],
      summary: "Follow which addresses of the API have changed",
      description:
        "For pages that show the project live: read again what is at or below the address. Changes within a second can be one event. After a lost connection, read everything again.",
      response: { 200: changesReply },
    },
    handler: async (request, reply) => {
      const { projectId } = callerOf(request).principal;
      async function* open(signal: AbortSignal): AsyncGenerator<Batch, void, undefined> {
        yield batchOf([{ type: "connected", address: "/" }]);
        for await (const addresses of context.changes.of(projectId, signal))
          yield batchOf(addresses.map((address) => ({ type: "changed" as const, address })));
      }
      await relay(context.streams, reply, open);
    },
  });

function batchOf(events: readonly Static<typeof change>[]): Batch {
  return { events: events.map((event) => ({ sequence: 0, type: event.type, json: JSON.stringify(event) })) };
}
