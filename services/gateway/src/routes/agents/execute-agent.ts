import { type AddRoute, streamCallFor } from "../../context.ts";
import { agentParams, agentQuery } from "../../schemas/agents.ts";
import { executeAgentBody } from "../../schemas/executions.ts";
import { eventStreamReply } from "../../schemas/stream.ts";
import { relaysOf } from "../../schemas/tools.ts";
import { relay } from "../../streams/relay.ts";
import { toExecuteMessage } from "./execute-message.ts";

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
