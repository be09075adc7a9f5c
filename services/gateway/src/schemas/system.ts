import { permissions } from "@muster/rpc";
import { Type } from "typebox";
import { timestamp } from "./common.ts";

export const credentialReply = Type.Object({
  type: Type.Enum(["key"], { description: "Tokens may not ask." }),
  keyId: Type.String(),
  projectId: Type.String({ description: "The project in which this request acts." }),
  anyProject: Type.Boolean({ description: "It may name any project in X-Project-Id." }),
  permissions: Type.Array(Type.Enum([...permissions])),
  agentId: Type.Union([Type.String(), Type.Null()], { description: "The only agent that it may use." }),
  sessionId: Type.Union([Type.String(), Type.Null()], { description: "The only session that it may use." }),
});

export const providerListReply = Type.Object({
  providers: Type.Array(
    Type.Object({
      name: Type.String({ description: "First part of its model ids." }),
      status: Type.Enum(["ok", "not_configured", "key_refused", "unreachable"]),
      message: Type.Union([Type.String(), Type.Null()], { description: "What is wrong and what to do." }),
      checkedAt: Type.Union([timestamp, Type.Null()]),
    }),
  ),
});
