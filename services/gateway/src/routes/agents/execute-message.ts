import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ExecuteWorkerRequestSchema } from "@muster/proto/sessions";
import type { IssueInput } from "@muster/rpc";
import type { Static } from "@muster/wire/schema";
import { jsonTextOf } from "../../edge/body/relayed-json.ts";
import { badRequest } from "../../edge/errors/from-any.ts";
import type { executeAgentBody } from "../../schemas/executions.ts";
import { issuesOfResults, toDynamicTool, toToolResult } from "../../schemas/tool-messages.ts";

type ExecuteBody = Static<typeof executeAgentBody>;
type ExecuteMessage = MessageInitShape<typeof ExecuteWorkerRequestSchema>;

/** The RPC's request for a body that matches the schema. Throws INVALID_REQUEST for rules that a schema cannot express. */
export function toExecuteMessage(
  id: string,
  by: "id" | "slug" | undefined,
  body: ExecuteBody,
): ExecuteMessage {
  const issues = issuesOf(body);
  if (issues.length > 0) throw badRequest("body", issues);
  const agent =
    by === "slug" ? { case: "agentSlug" as const, value: id } : { case: "agentId" as const, value: id };
  return { agent, command: commandOf(body) };
}

function commandOf({
  type,
  input,
  dynamicToolSchemas = [],
  executionId = "",
  toolResults = [],
}: ExecuteBody) {
  if (type === "continue") {
    const value = { executionId, toolResults: toolResults.map(toToolResult) };
    return { case: "continue" as const, value };
  }
  const inputJson = input === undefined ? "" : jsonTextOf(input);
  return {
    case: "start" as const,
    value: { inputJson, dynamicTools: dynamicToolSchemas.map(toDynamicTool) },
  };
}

function issuesOf({ type, executionId, toolResults }: ExecuteBody): IssueInput[] {
  if (type === "start") {
    const stray = { executionId, toolResults };
    return Object.entries(stray).flatMap(([path, value]) =>
      value === undefined ? [] : { path, message: "is only valid in a request of type continue" },
    );
  }
  const issues = issuesOfResults(toolResults ?? []);
  if (executionId === undefined) issues.push({ path: "executionId", message: "is required" });
  if (toolResults === undefined) issues.push({ path: "toolResults", message: "is required" });
  return issues;
}
