import type { AddRoute } from "../../context.ts";
import { problemFrom } from "../../edge/errors/from-any.ts";
import { sendJsonText } from "../../edge/http/json-text.ts";
import { workforceAgentParams } from "../../schemas/workforce.ts";
import { callIdOf, RpcProblem, rpcCodes } from "../json-rpc.ts";
import { a2aErrorOf, a2aProblem } from "./a2a-problem.ts";
import {
  cancelTask,
  getTask,
  listTasks,
  type Method,
  refuseExtendedCard,
  refusePush,
  sendMessage,
} from "./methods.ts";
import { a2aCall, a2aError, a2aReply } from "./schemas.ts";
import { sendStreamingMessage, subscribeToTask } from "./stream-methods.ts";

const methods: ReadonlyMap<string, Method> = new Map([
  ["SendMessage", sendMessage],
  ["SendStreamingMessage", sendStreamingMessage],
  ["GetTask", getTask],
  ["ListTasks", listTasks],
  ["CancelTask", cancelTask],
  ["SubscribeToTask", subscribeToTask],
  ["CreateTaskPushNotificationConfig", refusePush],
  ["GetTaskPushNotificationConfig", refusePush],
  ["ListTaskPushNotificationConfigs", refusePush],
  ["DeleteTaskPushNotificationConfig", refusePush],
  ["GetExtendedAgentCard", refuseExtendedCard],
]);

export const callAgent: AddRoute = (app, context) =>
  app.route({
    method: "POST",
    url: "/api/a2a/:agentId",
    config: {
      produces: ["application/json", "text/event-stream"],
      errorBody: a2aErrorOf,
      errorSchema: a2aError,
    },
    schema: {
      operationId: "callAgent",
      tags: ["Dialects"],
      summary: "Call a workforce agent in A2A 1.0",
      description:
        "JSON-RPC 2.0. A task is a thread. What a method refuses is 200 with an `error`, as JSON-RPC wants it.",
      params: workforceAgentParams,
      body: a2aCall,
      response: { 200: a2aReply },
    },
    handler: async (request, reply) => {
      const { body, params } = request;
      try {
        const method = methodOf(request.headers["a2a-version"], body.method);
        const call = { context, request, reply, agentId: params.agentId, params: body.params ?? {} };
        const result = await method(call);
        if (result !== undefined)
          sendJsonText(reply, JSON.stringify({ jsonrpc: "2.0", id: callIdOf(body), result }));
      } catch (error) {
        const problem = problemFrom(error, request);
        if (problem.status >= 500) throw problem;
        request.errorCode = problem.code;
        sendJsonText(reply, JSON.stringify(a2aErrorOf(problem, request)));
      }
      return reply;
    },
  });

/** Clients of version 0.3 send no header, and names such as `message/send`. */
function methodOf(version: unknown, name: string): Method {
  const method = methods.get(name);
  const isOther = version !== undefined && !/^1\.\d+$/.test(String(version));
  if (isOther || (method === undefined && name.includes("/")))
    throw a2aProblem("VERSION_NOT_SUPPORTED", "Use A2A 1.0, and send the header A2A-Version: 1.0.");
  if (method !== undefined) return method;
  const known = [...methods.keys()].join(", ");
  throw new RpcProblem(
    rpcCodes.methodNotFound,
    "METHOD_NOT_FOUND",
    `${name} is not a method; send ${known}.`,
  );
}
