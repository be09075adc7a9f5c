import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ExecuteWorkerRequestSchema } from "@muster/proto/sessions";
import type { IssueInput } from "@muster/rpc";
import type { Static } from "@muster/wire/schema";
import { streamCallFor } from "../../auth/identity.ts";
import type { AddRoute } from "../../context.ts";
import { jsonTextOf } from "../../edge/body/request-bodies.ts";
import { badRequest } from "../../edge/errors/from-any.ts";
import { agentParams, agentQuery, executeAgentBody } from "../../schemas/agents.ts";
import { toMaxUsd } from "../../schemas/monthly-limits.ts";
import { eventStreamReply } from "../../schemas/stream.ts";
import { issuesOfResults, relaysOf, toDynamicTool, toToolResult } from "../../schemas/tools.ts";
import { relay } from "../../streams/relay.ts";

/** Tool results make these bodies larger than others, as for triggers. */
const bodyLimitBytes = 10 * 1024 * 1024;

export const executeAgent: AddRoute = (app, context) =>
  app.route({
    method: "POST",
    url: "/api/agents/:id/execute",
    bodyLimit: bodyLimitBytes,
    config: {
      produces: ["text/event-stream"],
      relays: relaysOf(executeAgentBody),
      errors: [
        "SPENDING_LIMIT",
        "USAGE_LIMIT",
        "INVALID_INPUT",
        "UNKNOWN_TOOL_CALL",
        "MODEL_NOT_RUNNABLE",
        "AGENT_ARCHIVED",
        "SESSION_BUSY",
        "INVALID_DEFINITION",
        "UPSTREAM",
      ],
    },
    schema: {
      operationId: "executeAgent",
      tags: ["Agents"],
      summary: "Run or continue a worker; the response is a stream of server-sent events",
      description:
        'Runs an agent of format `worker`. If the stream ends with `tool-request`, execute the calls and send the results with `type: "continue"`.',
      params: agentParams,
      querystring: agentQuery,
      body: executeAgentBody,
      response: { 200: eventStreamReply },
    },
    handler: async (request, reply) => {
      const message = toExecuteMessage(request.params.id, request.query.by, request.body);
      await relay(context.streams, reply, (signal) =>
        context.sessions.executeWorker(message, streamCallFor(request, signal)),
      );
    },
  });

type ExecuteBody = Static<typeof executeAgentBody>;
type ExecuteMessage = MessageInitShape<typeof ExecuteWorkerRequestSchema>;

/** The RPC's request for a body that matches the schema. Throws INVALID_REQUEST for rules that a schema cannot express. */
function toExecuteMessage(id: string, by: "id" | "slug" | undefined, body: ExecuteBody): ExecuteMessage {
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
  subject,
  ...body
}: ExecuteBody) {
  if (type === "continue") {
    const value = { executionId, toolResults: toolResults.map(toToolResult) };
    return { case: "continue" as const, value };
  }
  const inputJson = input === undefined ? "" : jsonTextOf(input);
  return {
    case: "start" as const,
    value: {
      inputJson,
      dynamicTools: dynamicToolSchemas.map(toDynamicTool),
      ...toMaxUsd(body),
      ...(subject !== undefined && { subject }),
    },
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
