import type { MessageInitShape } from "@bufbuild/protobuf";
import { DisconnectPolicy, type StartSessionRequestSchema } from "@muster/proto/sessions";
import { idempotencyKeyProblem, isIdempotencyKey } from "@muster/rpc";
import type { Static } from "@muster/wire/schema";
import { jsonTextOf } from "../../edge/body/relayed-json.ts";
import { HttpProblem } from "../../edge/errors/http-problem.ts";
import type { startSessionBody } from "../../schemas/sessions.ts";
import { toDynamicTool } from "../../schemas/tool-messages.ts";
import { agentOf } from "./agent-of.ts";

type StartBody = Static<typeof startSessionBody>;
type StartMessage = MessageInitShape<typeof StartSessionRequestSchema>;

/** The RPC's request for a body that matches the schema. Throws INVALID_IDEMPOTENCY_KEY, and INVALID_REQUEST for rules that a schema cannot express. */
export function toStartMessage(body: StartBody): StartMessage {
  const { input, metadata, trigger, idempotencyKey } = body;
  if (idempotencyKey !== undefined && !isIdempotencyKey(idempotencyKey)) {
    throw new HttpProblem("INVALID_IDEMPOTENCY_KEY", idempotencyKeyProblem);
  }
  return {
    ...agentOf(body),
    inputJson: input === undefined ? "" : jsonTextOf(input),
    metadataJson: metadata === undefined ? "" : JSON.stringify(metadata),
    trigger: toFirstTrigger(trigger),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  };
}

function toFirstTrigger({
  triggerName,
  input,
  sender,
  dynamicToolSchemas,
  usage,
  ...trigger
}: StartBody["trigger"]) {
  return {
    triggerName,
    inputJson: input === undefined ? "" : jsonTextOf(input),
    ...(sender === undefined ? {} : { sender }),
    dynamicTools: (dynamicToolSchemas ?? []).map(toDynamicTool),
    usage: usage ?? false,
    onDisconnect: policyOf(trigger),
  };
}

/** The policy for a turn whose reader leaves. */
export function policyOf({ onDisconnect }: { onDisconnect?: "cancel" | "continue" }): DisconnectPolicy {
  return onDisconnect === "continue" ? DisconnectPolicy.CONTINUE : DisconnectPolicy.CANCEL;
}
