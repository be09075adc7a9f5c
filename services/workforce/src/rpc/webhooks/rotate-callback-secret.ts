import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { RotateCallbackSecretResponseSchema } from "@muster/proto/webhooks";
import { adminOf } from "@muster/rpc";
import { unknownProject } from "../../store/refusals.ts";
import { ownerOfCallbacks, rotateSecret } from "../../webhooks/secrets.ts";
import type { Handler } from "../handler.ts";

export const rotateCallbackSecret: Handler<"rotateCallbackSecret"> = async (context, request, call) => {
  const { projectId } = request;
  const caller = adminOf(call);
  if (!caller.anyProject && caller.projectId !== projectId) throw unknownProject();
  const current = await context.callbackSecrets.read(projectId);
  const rotated = rotateSecret(context, ownerOfCallbacks(projectId), current.secrets);
  const entry = context.auditEntry(call, "callback-secret.rotate", { projectId, target: projectId });
  // Another rotation came first.
  if (!(await context.callbackSecrets.replace(projectId, current.rev, rotated.secrets, entry)))
    return rotateCallbackSecret(context, request, call);
  const { secret, earlierUntil } = rotated;
  return create(RotateCallbackSecretResponseSchema, {
    secret,
    ...(earlierUntil && { earlierUntil: timestampFromDate(earlierUntil) }),
  });
};
