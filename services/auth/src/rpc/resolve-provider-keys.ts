import { create } from "@bufbuild/protobuf";
import { ResolveProviderKeysResponseSchema } from "@muster/proto/auth";
import type { OpenedSecret } from "@muster/rpc";
import { callerOf, forbidden, isPlatform, limitsMessage } from "@muster/rpc";
import { openMcpSecrets } from "../mcp-secrets.ts";
import { openProjectSecrets } from "../project-secrets.ts";
import type { Handler } from "./handler.ts";
import { toKeyLimits } from "./messages.ts";
import { toMcpServer } from "./to-mcp-server.ts";

export const resolveProviderKeys: Handler<"resolveProviderKeys"> = async (context, { projectId }, call) => {
  if (!isPlatform(callerOf(call))) throw forbidden("Only the platform itself reads keys of model providers.");
  const [keys, project, servers, secrets, limited] = await Promise.all([
    openProjectSecrets(context, "providerKeys", projectId),
    context.projects.find(projectId),
    context.mcpServers.list(projectId),
    openProjectSecrets(context, "toolSecrets", projectId),
    context.keys.listLimited(projectId),
  ]);
  return create(ResolveProviderKeysResponseSchema, {
    providerKeys: keys.map(({ name, ...key }) => ({ provider: name, result: resultOf("key", key) })),
    approvals: project?.approvals ?? {},
    mcpServers: servers.map((server) => {
      const opened = openMcpSecrets(context, server);
      if ("problem" in opened) return { mcpServer: toMcpServer(server), problem: opened.problem };
      return { mcpServer: toMcpServer(server, opened) };
    }),
    toolHosts: project?.toolHosts ?? [],
    toolSecrets: secrets.map(({ name, ...secret }) => ({ host: name, result: resultOf("secret", secret) })),
    limits: {
      ...limitsMessage(project?.limits?.overall ?? {}),
      ...(project?.limits?.subjectMonthlyUsd !== undefined && {
        subjectMonthlyUsd: project.limits.subjectMonthlyUsd,
      }),
    },
    keyLimits: Object.fromEntries(limited.map(({ _id, limits }) => [_id, toKeyLimits(limits)])),
  });
};

function resultOf<Case extends string>(name: Case, opened: OpenedSecret) {
  if ("problem" in opened) return { case: "problem" as const, value: opened.problem };
  return { case: name, value: opened.text };
}
