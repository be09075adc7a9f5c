import { permissions } from "@muster/rpc";
import { Type } from "typebox";
import { timestamp } from "./common.ts";

export const credentialReply = Type.Object({
  type: Type.Enum(["key"], { description: "Tokens are refused." }),
  keyId: Type.String(),
  projectId: Type.String({ description: "The project that this request applies to." }),
  anyProject: Type.Boolean({ description: "True if X-Project-Id may name any project." }),
  permissions: Type.Array(Type.Enum([...permissions])),
  agentId: Type.Union([Type.String(), Type.Null()], {
    description: "The only agent that the credential may use; null for any.",
  }),
  sessionId: Type.Union([Type.String(), Type.Null()], {
    description: "The only session that the credential may use; null for any.",
  }),
});

export const providerListReply = Type.Object({
  providers: Type.Array(
    Type.Object({
      name: Type.String({ description: "The first part of its model ids." }),
      status: Type.Enum(["ok", "not_configured", "key_refused", "unreachable"]),
      message: Type.Union([Type.String(), Type.Null()], { description: "The problem and how to fix it." }),
      checkedAt: Type.Union([timestamp, Type.Null()]),
    }),
  ),
});
