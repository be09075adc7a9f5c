import type { MessageInitShape } from "@bufbuild/protobuf";
import type { TriggerRequestSchema } from "@muster/proto/sessions";
import type { IssueInput } from "@muster/rpc";
import type { Static } from "@muster/wire/schema";
import { jsonTextOf } from "../../edge/body/relayed-json.ts";
import { badRequest } from "../../edge/errors/from-any.ts";
import type { triggerBody } from "../../schemas/sessions.ts";
import { issuesOfResults, toDynamicTool, toToolResult } from "../../schemas/tool-messages.ts";
import { policyOf } from "./start-message.ts";

type TriggerBody = Static<typeof triggerBody>;
type TriggerMessage = MessageInitShape<typeof TriggerRequestSchema>;

/** The RPC's request for a body that matches the schema. Throws INVALID_REQUEST for rules that a schema cannot express. */
export function toTriggerMessage(sessionId: string, body: TriggerBody): TriggerMessage {
  const issues = issuesOf(body);
  if (issues.length > 0) throw badRequest("body", issues);
  const { executionId, sender, rollbackAfterMessageId: keep } = body;
  return {
    sessionId,
    triggerName: body.triggerName ?? "",
    inputJson: body.input === undefined ? "" : jsonTextOf(body.input),
    toolResults: (body.toolResults ?? []).map(toToolResult),
    ...(executionId === undefined ? {} : { executionId }),
    ...(keep === undefined ? {} : { rollback: keep === null ? {} : { afterMessageId: keep } }),
    ...(sender === undefined ? {} : { sender }),
    dynamicTools: (body.dynamicToolSchemas ?? []).map(toDynamicTool),
    usage: body.usage ?? false,
    onDisconnect: policyOf(body),
  };
}

function issuesOf({ triggerName, executionId, toolResults = [] }: TriggerBody): IssueInput[] {
  const issues: IssueInput[] = [];
  if (triggerName === undefined && executionId === undefined) {
    issues.push({ path: "triggerName", message: "is required unless executionId is given" });
  }
  return issues.concat(issuesOfResults(toolResults));
}
