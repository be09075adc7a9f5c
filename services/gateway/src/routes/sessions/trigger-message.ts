import type { MessageInitShape } from "@bufbuild/protobuf";
import { DisconnectPolicy, type TriggerRequestSchema } from "@muster/proto/sessions";
import type { IssueInput } from "@muster/rpc";
import type { Static } from "typebox";
import { invalidRequest } from "../../errors/from-any.ts";
import type { triggerBody } from "../../schemas/sessions.ts";

type TriggerBody = Static<typeof triggerBody>;
type TriggerMessage = MessageInitShape<typeof TriggerRequestSchema>;

/** The RPC's request for a body that fits the schema. Throws INVALID_REQUEST for what a schema cannot say. */
export function toTriggerMessage(sessionId: string, body: TriggerBody): TriggerMessage {
  const issues = issuesOf(body);
  if (issues.length > 0) throw invalidRequest("body", issues);
  const { executionId, sender, rollbackAfterMessageId: keep } = body;
  return {
    sessionId,
    triggerName: body.triggerName ?? "",
    inputJson: body.input === undefined ? "" : JSON.stringify(body.input),
    toolResults: (body.toolResults ?? []).map(toToolResult),
    ...(executionId === undefined ? {} : { executionId }),
    ...(keep === undefined ? {} : { rollback: keep === null ? {} : { afterMessageId: keep } }),
    ...(sender === undefined ? {} : { sender }),
    dynamicTools: (body.dynamicToolSchemas ?? []).map(toDynamicTool),
    onDisconnect: body.onDisconnect === "continue" ? DisconnectPolicy.CONTINUE : DisconnectPolicy.CANCEL,
  };
}

function issuesOf({ triggerName, executionId, toolResults = [] }: TriggerBody): IssueInput[] {
  const issues: IssueInput[] = [];
  if (triggerName === undefined && executionId === undefined) {
    issues.push({ path: "triggerName", message: "is required unless executionId is given" });
  }
  for (const [index, { result, error }] of toolResults.entries()) {
    if ((result === undefined) === (error === undefined)) {
      issues.push({ path: `toolResults.${index}`, message: "must have either result or error" });
    }
    if (issues.length >= 8) break;
  }
  return issues;
}

function toToolResult({ toolCallId, toolName = "", result, error }: ToolResultBody) {
  const outcome =
    error === undefined
      ? { case: "resultJson" as const, value: JSON.stringify(result) }
      : { case: "error" as const, value: error };
  return { toolCallId, toolName, outcome };
}

function toDynamicTool({ name, description, inputSchema, outputSchema }: DynamicToolBody) {
  return {
    name,
    description,
    inputSchemaJson: JSON.stringify(inputSchema),
    ...(outputSchema === undefined ? {} : { outputSchemaJson: JSON.stringify(outputSchema) }),
  };
}

type ToolResultBody = NonNullable<TriggerBody["toolResults"]>[number];
type DynamicToolBody = NonNullable<TriggerBody["dynamicToolSchemas"]>[number];
