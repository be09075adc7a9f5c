import { create } from "@bufbuild/protobuf";
import { SetToolSecretResponseSchema } from "@muster/proto/auth";
import { adminOf, Issues } from "@muster/rpc";
import { setProjectSecret } from "../project-secrets.ts";
import { checkToolHost, checkToolSecret, newToolSecret } from "../tool-host-request.ts";
import type { Handler } from "./handler.ts";
import { toToolSecret } from "./messages.ts";

export const setToolSecret: Handler<"setToolSecret"> = async (context, { projectId, host, secret }, call) => {
  adminOf(call);
  const issues = new Issues();
  checkToolHost(issues, "host", host);
  if (secret !== undefined) checkToolSecret(issues, secret);
  issues.refuse();
  const generated = secret === undefined ? newToolSecret(context.random) : undefined;
  const stored = await setProjectSecret(context, call, "toolSecrets", {
    ...{ projectId, name: host, secret: secret ?? generated ?? "" },
  });
  return create(SetToolSecretResponseSchema, {
    toolSecret: toToolSecret(stored),
    ...(generated && { generated }),
  });
};
