import type { AddRoute } from "../../context.ts";
import { problemFrom } from "../../edge/errors/from-any.ts";
import { sendJsonText } from "../../edge/http/json-text.ts";
import { workforceAgentParams } from "../../schemas/workforce.ts";
import { callIdOf, RpcProblem, responsesOf, rpcCodes } from "../json-rpc.ts";
import { a2aErrorOf, a2aProblem } from "./a2a-problem.ts";
import * as methods from "./methods.ts";
import { a2aCall, a2aResponse } from "./schemas.ts";
import { sendStreamingMessage, subscribeToTask } from "./stream-methods.ts";

const methodsByName: ReadonlyMap<string, methods.Method> = new Map([
  ["SendMessage", methods.sendMessage],
  ["SendStreamingMessage", sendStreamingMessage],
  ["GetTask", methods.getTask],
  ["ListTasks", methods.listTasks],
  ["CancelTask", methods.cancelTask],
  ["SubscribeToTask", subscribeToTask],
]);

export const callAgent: AddRoute = (app, context) =>
  app.route({
    method: "POST",
    url: "/api/a2a/:agentId",
    config: {
      ...{ produces: ["application/json", "text/event-stream"] },
      ...{ errorBody: a2aErrorOf, errorSchema: a2aResponse },
    },
    schema: {
      operationId: "callAgent",
      tags: ["Dialects"],
      summary: "Call a workforce agent in A2A 1.0",
      description:
        "JSON-RPC 2.0. A task is a thread. A refused method is 200 with an `error`, as JSON-RPC requires.",
      params: workforceAgentParams,
      body: a2aCall,
      response: { 200: responsesOf(a2aResponse) },
    },
    handler: async (request, reply) => {
      const { body, params } = request;
      try {
        const method = methodNamed(body.method, request.headers["a2a-version"]);
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
function methodNamed(name: string, version: unknown = "1.0"): methods.Method {
  const method = methodsByName.get(name);
  if (!/^1\.\d+$/.test(String(version)) || (method === undefined && name.includes("/")))
    throw a2aProblem("VERSION_NOT_SUPPORTED", "Use A2A 1.0, and send the header A2A-Version: 1.0.");
  if (method !== undefined) return method;
  if (/TaskPushNotificationConfigs?$/.test(name)) throw methods.pushProblem();
  if (name === "GetExtendedAgentCard")
    throw a2aProblem("UNSUPPORTED_OPERATION", "The agent has no extended card.");
  throw new RpcProblem(rpcCodes.methodNotFound, "METHOD_NOT_FOUND", `A2A has no method ${name} here.`);
}
