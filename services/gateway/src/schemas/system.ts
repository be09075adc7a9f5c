import { permissions } from "@muster/rpc";
import { Type } from "@muster/wire/schema";
import { errorFields, nullable, text, timestamp } from "./common.ts";

export const credentialReply = Type.Object(
  {
    type: Type.Enum(["key"], { description: "Tokens are refused." }),
    keyId: text("The id of the key."),
    projectId: text("The project that this request applies to."),
    anyProject: Type.Boolean({ description: "True if X-Project-Id may name any project." }),
    permissions: Type.Array(Type.Enum([...permissions]), { description: "What the key may do." }),
    agentId: nullable(Type.String(), "The only agent that the credential may use; null for any."),
    sessionId: nullable(Type.String(), "The only session that the credential may use; null for any."),
  },
  { title: "Credential", description: "The key of the request." },
);

const provider = Type.Object(
  {
    name: text("The first part of its model ids."),
    status: Type.Enum(["ok", "not_configured", "key_refused", "unreachable"], {
      description: "Whether its models can be used.",
    }),
    message: nullable(Type.String(), "The problem and how to fix it; null if there is none."),
    projectKey: Type.Boolean({ description: "True if the project of the request has its own key for it." }),
    checkedAt: nullable(timestamp, "When the provider was asked; null if that was not necessary."),
  },
  { title: "Provider", description: "A model provider." },
);

export const providerListReply = Type.Object(
  { providers: Type.Array(provider, { description: "All providers that this version knows." }) },
  { title: "ProviderList", description: "The state of the model providers." },
);

export const healthReply = Type.Object(
  { status: text("`ok`.") },
  { title: "Health", description: "The process is alive." },
);

const dependencies = Type.Record(Type.String(), Type.Enum(["ok", "not_ready", "unreachable"]), {
  description: "The state of each part; what a part itself lacks is listed as part.name.",
});

export const readyQuery = Type.Object(
  {
    scope: Type.Optional(
      Type.Enum(["all", "self"], {
        description:
          "`all` (the default) for the server and everything that it needs, `self` for the server alone.",
      }),
    ),
  },
  { additionalProperties: false },
);

export const readyReply = Type.Object(
  {
    status: Type.Literal("ready", { description: "Always `ready`." }),
    dependencies,
    degraded: Type.Optional(
      Type.Array(Type.Enum(["storage-full"]), {
        description:
          "What does not work although everything responds. `storage-full`: a disk is full, so that only reads and deletions work.",
      }),
    ),
  },
  { title: "Ready", description: "The server can serve requests." },
);

export const notReadyReply = Type.Object(
  {
    ...errorFields,
    status: Type.Enum(["not_ready", "stopping"], { description: "Why the server cannot serve requests." }),
    dependencies,
  },
  { title: "NotReady", description: "The server cannot serve requests now. The code is `UNAVAILABLE`." },
);
