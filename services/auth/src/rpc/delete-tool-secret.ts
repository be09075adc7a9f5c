import { create } from "@bufbuild/protobuf";
import { DeleteToolSecretResponseSchema } from "@muster/proto/auth";
import { adminOf, Issues } from "@muster/rpc";
import { removeProjectSecret } from "../project-secrets.ts";
import { checkToolHost } from "../tool-host-request.ts";
import type { Handler } from "./handler.ts";

export const deleteToolSecret: Handler<"deleteToolSecret"> = async (context, { projectId, host }, call) => {
  adminOf(call);
  const issues = new Issues();
  checkToolHost(issues, "host", host);
  issues.refuse();
  const deleted = await removeProjectSecret(context, call, "toolSecrets", { projectId, name: host });
  return create(DeleteToolSecretResponseSchema, { deleted });
};
