import { create } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import type { McpReport } from "@muster/mcp-client";
import { TestMcpServerResponseSchema } from "@muster/proto/sessions";
import {
  type CallPrincipal,
  callerOf,
  callOptions,
  forbidden,
  platformPrincipal,
  Reason,
  refuseToken,
  relayedFailure,
  requestIdOf,
  requirePermission,
  rpcError,
} from "@muster/rpc";
import { readMcpServer } from "../agents/read-mcp-server.ts";
import type { SessionsContext } from "../context.ts";
import type { Handler } from "./handler.ts";

/** A user waits for the outcome. */
const limits = { idleTimeoutMs: 10_000, timeoutMs: 20_000 };
const settingsTimeoutMs = 3_000;

export const testMcpServer: Handler<"testMcpServer"> = async (context, { id }, call) => {
  const { projectId } = adminOf(call);
  const servers = await registeredServers(context, projectId, requestIdOf(call));
  const found = servers.find(({ mcpServer }) => mcpServer?.id === id);
  if (found?.mcpServer === undefined) {
    throw rpcError(Reason.NOT_FOUND, "The MCP server does not exist in this project.");
  }
  if (found.problem !== undefined) return responseOf(unusable(found.problem));
  const server = readMcpServer(found.mcpServer);
  if (server === undefined)
    return responseOf(unusable("This version does not know its kind of credentials."));
  const patient = {
    idleTimeoutMs: Math.min(server.idleTimeoutMs, limits.idleTimeoutMs),
    timeoutMs: Math.min(server.timeoutMs, limits.timeoutMs),
  };
  return responseOf(await context.mcp.test({ ...server, ...patient }, call.signal));
};

function adminOf(call: HandlerContext): CallPrincipal {
  const caller = refuseToken(callerOf(call), "administer");
  requirePermission(caller, "admin");
  if (caller.agentId !== undefined) throw forbidden("A key for one agent cannot administer a project.");
  return caller;
}

/** Asks each time: the server may have been changed a moment ago, because of the last test. */
async function registeredServers({ auth, signer }: SessionsContext, projectId: string, requestId: string) {
  const principal = signer.sign(platformPrincipal);
  const options = callOptions({ principal, requestId, timeoutMs: settingsTimeoutMs });
  try {
    return (await auth.resolveProviderKeys({ projectId }, options)).mcpServers;
  } catch (error) {
    throw relayedFailure(error, "The auth service does not respond.");
  }
}

function unusable(problem: string): McpReport {
  return { isUsable: false, stage: "authorization", problem, latencyMs: 0 };
}

function responseOf(report: McpReport) {
  const { latencyMs } = report;
  if (!report.isUsable) {
    const { stage, problem } = report;
    return create(TestMcpServerResponseSchema, {
      ...{ result: { case: "problem", value: { stage, problem } }, latencyMs },
    });
  }
  const { era, protocolVersion, server = {}, tools, problems } = report;
  return create(TestMcpServerResponseSchema, {
    ...{ result: { case: "report", value: { era, protocolVersion, ...server, tools, problems } }, latencyMs },
  });
}
