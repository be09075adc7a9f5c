import type { SwaggerOptions } from "@fastify/swagger";
import { operationOf } from "./operation.ts";

const description = [
  "Authenticate with `Authorization: Bearer <API_KEY>`. A key acts in its own project; the bootstrap key acts in the",
  "project that the header `X-Project-Id` names.",
  "\n\nEvery response has an `X-Request-Id` header, and every error the same body; its `code` never changes. Besides the",
  "documented errors, any request can get 408 `REQUEST_TIMEOUT` if it arrives too slowly and 431 `HEADERS_TOO_LARGE`.",
  "If the operator has set rate limits, responses carry `RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset`.",
  "Ignore fields and events that you do not know: new ones can be added.",
].join(" ");

const tags = [
  { name: "Sessions", description: "Conversations with interactive agents." },
  {
    name: "Approvals",
    description: "Decisions about tool calls that wait for one. Needs the permission `approve`.",
  },
  {
    name: "Tool calls",
    description: "Results of calls that the service of an HTTP tool has accepted and carries out later.",
  },
  { name: "Agents", description: "Agent definitions, their versions, and the execution of worker agents." },
  {
    name: "Workforce",
    description:
      "Messages to workforce agents, which work on a computer of their own. Each agent has its own keys; no other credential works.",
  },
  {
    name: "Workforce administration",
    description: "Hires workforce agents. Needs the permission `workforce` or `admin`.",
  },
  {
    name: "Computers",
    description:
      "Machines that dial in, on which workforce agents work. Needs the permission `workforce` or `admin`.",
  },
  {
    name: "Recordings",
    description:
      "Videos of the runs of workforce agents. A thread names the URL of its video, which needs no other credential.",
  },
  {
    name: "Files",
    description:
      "Files for sessions and workforce agents. Their URLs are signed and need no other credential.",
  },
  { name: "Models", description: "The models that agents can name, with their prices." },
  {
    name: "Tokens",
    description:
      "Short-lived credentials for browsers and other untrusted programs. Needs the permission `mint-tokens`.",
  },
  { name: "Logins", description: "API keys in a browser, as a cookie of the server's own pages." },
  {
    name: "Administration",
    description: "Projects, API keys and identity providers. Needs the permission `admin`.",
  },
  {
    name: "Schedules",
    description: "Times at which workforce agents get messages. Needs the permission `workforce` or `admin`.",
  },
  {
    name: "Webhooks",
    description: "URLs that receive events, and their deliveries. Needs the permission `admin`.",
  },
  {
    name: "Hooks",
    description:
      "Addresses to which other systems post events for workforce agents. Managing them needs the permission `workforce`; senders sign their events.",
  },
  {
    name: "Dialects",
    description: "The languages of other clients: the same agents, sessions and threads in other shapes.",
  },
  { name: "System", description: "The state of the server, and the caller's own key." },
];

/** How the schemas of the routes with one tag become a part of the OpenAPI document. */
function partFor(tag: string) {
  return {
    decorator: `openApiOf${tag}`,
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Muster",
        version: "0.1.0",
        description,
        license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
      },
      tags,
      components: {
        securitySchemes: {
          apiKey: {
            type: "http",
            scheme: "bearer",
            description:
              "An API key (`svc_sk_…`, `svc_agt_…`), a token (`svc_et_…`) or a signed token of a registered identity provider.",
          },
        },
      },
    },
    convertConstToEnum: false,
    transform: ({ schema, url, route }) =>
      schema?.tags?.[0] === tag
        ? { schema: operationOf(schema, route), url }
        : { schema: { hide: true }, url },
  } satisfies SwaggerOptions;
}

/** The document is made in these parts: all of it at once would block the main loop for 0.2 s. */
export const openApiParts = tags.map(({ name }) => partFor(name));
