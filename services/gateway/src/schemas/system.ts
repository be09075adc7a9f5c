import { permissions } from "@muster/rpc";
import { flag, list, nullable, object, oneOf, optional, Type, text } from "@muster/wire/schema";
import { errorFields, timestamp } from "./common.ts";

export const credentialReply = object("Credential", "The key of the request.", {
  type: oneOf("Tokens are refused.", ["key"]),
  keyId: text("The id of the key."),
  loginId: nullable("The id of the login that has sent the request; null if it sent the key itself."),
  projectId: text("The project that this request applies to."),
  anyProject: flag("True if X-Project-Id may name any project."),
  permissions: list("The permissions of the key.", Type.Enum([...permissions])),
  agentId: nullable("The only agent that the credential may use; null for any."),
  sessionId: nullable("The only session that the credential may use; null for any."),
});

const provider = object("Provider", "A model provider.", {
  name: text("The first part of its model ids."),
  status: oneOf("Whether its models can be used.", ["ok", "not_configured", "key_refused", "unreachable"]),
  message: nullable("The problem and how to fix it; null if there is none."),
  projectKey: flag("True if the project of the request has its own key for it."),
  checkedAt: nullable("When the provider was asked; null if that was not necessary.", timestamp),
});

export const providerListReply = object("ProviderList", "The state of the model providers.", {
  providers: list("All providers that this version knows.", provider),
});

export const healthReply = object("Health", "The process is alive.", { status: text("`ok`.") });

const dependencies = Type.Record(Type.String(), Type.Enum(["ok", "not_ready", "unreachable"]), {
  description: "The state of each part; what a part itself lacks is listed as part.name.",
});

export const readyQuery = Type.Object(
  {
    scope: optional(
      oneOf("`all` (the default) for the server and everything that it needs, `self` for the server alone.", [
        "all",
        "self",
      ]),
    ),
  },
  { additionalProperties: false },
);

export const readyReply = object("Ready", "The server can serve requests.", {
  status: Type.Literal("ready", { description: "Always `ready`." }),
  dependencies,
  degraded: optional(
    list(
      "What does not work although everything responds. `storage-full`: a disk is full, so that only reads and deletions work.",
      Type.Enum(["storage-full"]),
    ),
  ),
});

export const notReadyReply = object(
  "NotReady",
  "The server cannot serve requests now. The code is `UNAVAILABLE`.",
  {
    ...errorFields,
    status: oneOf("Why the server cannot serve requests.", ["not_ready", "stopping"]),
    dependencies,
  },
);

export const change = object("ChangesEvent", "An event of the stream of changes.", {
  type: oneOf("`connected` is the first event.", ["connected", "changed"]),
  address: text(
    "Everything at or below this path may have changed, such as `/api/agent-sessions`. With `connected`: `/`.",
  ),
});

/** The success of the route that streams changes. Only for the OpenAPI document. */
export const changesReply = {
  description: "Server-sent events, each one line `data: <JSON>`. Ignore lines that begin with a colon.",
  content: { "text/event-stream": { schema: change, example: { type: "changed", address: "/api/agents" } } },
};
