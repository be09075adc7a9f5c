import { create } from "@bufbuild/protobuf";
import { ListToolSecretsResponseSchema } from "@muster/proto/auth";
import { adminOf } from "@muster/rpc";
import { projectFor } from "../project-secrets.ts";
import type { Handler } from "./handler.ts";
import { toToolSecret } from "./messages.ts";

export const listToolSecrets: Handler<"listToolSecrets"> = async (context, request, call) => {
  const projectId = await projectFor(context, adminOf(call), request.projectId);
  const secrets = await context.toolSecrets.list(projectId);
  return create(ListToolSecretsResponseSchema, { toolSecrets: secrets.map(toToolSecret) });
};
