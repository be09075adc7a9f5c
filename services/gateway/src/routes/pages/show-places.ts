import { Type } from "@muster/wire/schema";
import type { AddRoute } from "../../context.ts";
import type { App } from "../../edge/http/app.ts";
import { segmentOf } from "../../schemas/common.ts";

/** The addresses of agents and sessions that users open in a browser lead into the console, which asks who may see them. */
export const showPlaces: AddRoute = (app) => {
  addPlace(app, "agent");
  addPlace(app, "session");
};

function addPlace(app: App, kind: "agent" | "session"): void {
  app.route({
    method: "GET",
    url: `/${kind}s/:id`,
    config: { produces: ["text/html"], errors: ["NOT_FOUND"] },
    schema: {
      operationId: kind === "agent" ? "getAgentPage" : "getSessionPage",
      tags: ["System"],
      summary: `Open this ${kind} in the console`,
      description:
        "For people who open the address in a browser. It is the same for every id, existing or not.",
      params: Type.Object({ id: segmentOf(`The id of the ${kind}.`) }),
      response: { 302: Type.Null({ description: "The page of the console." }) },
    },
    handler: async (request, reply) =>
      reply.redirect(`/console/${kind}s/${encodeURIComponent(request.params.id)}`),
  });
}
