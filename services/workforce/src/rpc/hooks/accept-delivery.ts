import { create } from "@bufbuild/protobuf";
import { type AcceptDeliveryRequest, AcceptDeliveryResponseSchema } from "@muster/proto/hooks";
import { callerOf, forbidden, invalidRequest, isPlatform, Reason, rpcError } from "@muster/rpc";
import type { Secret } from "@muster/service";
import type { WorkforceContext } from "../../context.ts";
import { challengeIn, masked, maxBodyBytes, readBody } from "../../hooks/read-body.ts";
import { storeDelivery } from "../../hooks/store-delivery.ts";
import { decoy, verifyDelivery } from "../../hooks/verify-delivery.ts";
import type { HookDocument } from "../../store/hook-document.ts";
import { openSecrets } from "../../webhooks/secrets.ts";
import type { Handler } from "../handler.ts";

/** The delivery is stored before it is answered. A process that dies afterwards loses nothing. */
export const acceptDelivery: Handler<"acceptDelivery"> = async (context, request, call) => {
  if (!isPlatform(callerOf(call))) throw forbidden("Only the platform passes on what senders post to hooks.");
  const { hook, secrets, identity } = await verified(context, request);
  await context.limitDeliveries(hook, request.body.length);
  const read = await readBody(request);
  const challenge = hook.verifyType === "slack" ? challengeIn(read.value) : undefined;
  if (challenge !== undefined) return create(AcceptDeliveryResponseSchema, { challenge });
  const body = masked(
    read,
    secrets.map((secret) => secret.reveal()),
  );
  const { deliveryId } = await storeDelivery(context, hook, { body, identity });
  return create(AcceptDeliveryResponseSchema, { deliveryId });
};

interface Verified {
  hook: HookDocument;
  secrets: readonly Secret[];
  identity: string;
}

/** Throws UNAUTHENTICATED, after the same time for a wrong signature, and a hook that is disabled or does not exist. */
async function verified(context: WorkforceContext, request: AcceptDeliveryRequest): Promise<Verified> {
  const { hooks, clock } = context;
  if (request.body.length > maxBodyBytes)
    throw invalidRequest("body", `must have at most ${maxBodyBytes} bytes`);
  const found = await hooks.findAddressed(request.hookId);
  const hook = found?.enabled ? found : null;
  const opened =
    hook && openSecrets(context, { ...hook, kind: "hooks" }, hook.secrets, new Date(clock.now()));
  const secrets = opened !== null && "secrets" in opened ? opened.secrets : decoy.secrets;
  const identity = verifyDelivery(hook?.verifyType ?? decoy.type, secrets, request, clock.now());
  if (hook === null || identity === undefined) {
    const message = "The hook does not exist, or the signature is wrong or too old.";
    throw rpcError(Reason.UNAUTHENTICATED, message);
  }
  return { hook, secrets, identity };
}
