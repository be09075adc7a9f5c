import { Type } from "@muster/wire/schema";
import type { AddRoute } from "../../context.ts";
import type { App } from "../../edge/http/app.ts";
import { segmentOf } from "../../schemas/common.ts";
import { page } from "../../schemas/recordings.ts";
import { documentOf, pageHeaders } from "../recordings/page/document.ts";
import { html } from "../recordings/page/html.ts";

/** The addresses that users open in a browser before there is a console at them. */
const places = [
  { kind: "agent", read: "/api/agents/", command: "muster agents show" },
  { kind: "session", read: "/api/agent-sessions/", command: "muster sessions show" },
] as const;

/** The addresses of agents and sessions, which say where these are to be found. They look up nothing and need no credential. */
export const showPlaces: AddRoute = (app) => {
  for (const place of places) addPlace(app, place);
};

function addPlace(app: App, { kind, read, command }: (typeof places)[number]): void {
  app.route({
    method: "GET",
    url: `/${kind}s/:id`,
    config: { produces: ["text/html"], sends: ["Cache-Control"], errors: ["NOT_FOUND"] },
    schema: {
      operationId: kind === "agent" ? "getAgentPage" : "getSessionPage",
      tags: ["System"],
      summary: `Show a page that says where this ${kind} can be read`,
      description:
        "For people who open the address in a browser. It is the same for every id, existing or not.",
      params: Type.Object({ id: segmentOf(`The id of the ${kind}.`) }),
      response: { 200: page },
    },
    handler: async (request, reply) => {
      const { id } = request.params;
      const { text, policy } = documentOf({
        title: `The ${kind} ${id}`,
        head: html`<meta name="robots" content="noindex">\n`,
        body: html`<main class="notice">
<h1>This ${kind} is read with an API key</h1>
<p>There is no web console yet. In a terminal:</p>
<pre>${command} ${id}</pre>
<p>Over HTTP:</p>
<pre>GET ${read}${id}</pre>
<p><a href="/docs">All paths of the API</a></p>
</main>
`,
      });
      return reply.headers({ ...pageHeaders(policy), "cache-control": "no-store" }).send(text);
    },
  });
}
