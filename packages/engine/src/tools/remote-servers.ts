import { isComputerNamespace, type McpServerSpec, type Program, type ThreadConfig } from "@muster/language";
import type { RemoteTool } from "../boundary/machine.ts";
import type { Turn } from "../turn/turn.ts";

/** A provider accepts so many tools in one request, or fewer. */
const maxRemoteTools = 512;

export const activateTool = "platform_mcp_activate";

/** An MCP server of the project that a thread's model may use. */
interface ThreadServer {
  namespace: string;
  description?: string | undefined;
  /** The model has to activate it. */
  isLazy: boolean;
  isActive: boolean;
}

/** The remote servers that the thread names, then those that it may use on demand. */
export function remoteServersOf(
  { program, conversation, environment }: Turn,
  { mcpServers, onDemandMcpServers }: ThreadConfig,
): ThreadServer[] {
  // Most threads have none, and each step asks.
  if (mcpServers.length + onDemandMcpServers.length === 0) return [];
  const active = new Set(conversation.activeMcpServers);
  const named = mcpServers.flatMap((namespace): ThreadServer[] => {
    const spec = serverOf(program, namespace);
    if (spec?.source !== "remote" || isComputerNamespace(namespace)) return [];
    const { description, connection } = spec;
    const isLazy = connection === "lazy";
    return [{ namespace, description, isLazy, isActive: !isLazy || active.has(namespace) }];
  });
  if (!onDemandMcpServers.includes("remote")) return named;
  const { description } = program.onDemandMcpServers.remote ?? {};
  const others = environment.remote?.registered.filter((name) => !Object.hasOwn(program.mcpServers, name));
  return [
    ...named,
    ...(others ?? []).map((name) => ({
      namespace: name,
      description,
      isLazy: true,
      isActive: active.has(name),
    })),
  ];
}

/** The tools of the servers that are active on the thread. */
export function remoteToolsOf(turn: Turn, config: ThreadConfig): RemoteTool[] {
  const { remote } = turn.environment;
  if (remote === undefined) return [];
  const tools = remoteServersOf(turn, config).flatMap(({ namespace, isActive }) => {
    const server = isActive ? remote.connected.get(namespace) : undefined;
    return server !== undefined && "tools" in server ? server.tools : [];
  });
  return tools.slice(0, maxRemoteTools);
}

/** Sentences for the model about active servers whose tools it does not have. */
export function remoteProblemsOf(turn: Turn, config: ThreadConfig): string[] {
  return remoteServersOf(turn, config).flatMap(({ namespace, isActive }) => {
    const problem = isActive ? problemOf(turn, namespace) : undefined;
    return problem === undefined ? [] : [problem];
  });
}

/** Why the server cannot be used; undefined if it can. */
function problemOf({ environment }: Turn, namespace: string): string | undefined {
  const server = environment.remote?.connected.get(namespace);
  if (server !== undefined && "tools" in server) return undefined;
  const because = server?.problem ?? "It is not connected.";
  return `The MCP server ${JSON.stringify(namespace)} is not available now, so you do not have its tools. ${because}`;
}

/** The error of a call of a tool that the thread does not have, of a server that it may use. Undefined: it is of no such server. */
export function whyNotActive(turn: Turn, config: ThreadConfig, namespace: string): string | undefined {
  const server = remoteServersOf(turn, config).find((each) => each.namespace === namespace);
  if (server === undefined) return undefined;
  if (!server.isActive)
    return `The MCP server ${JSON.stringify(namespace)} is not active. Activate it with ${activateTool}.`;
  return problemOf(turn, namespace) ?? `The MCP server ${JSON.stringify(namespace)} has no such tool.`;
}

/** A tool of a connected server. In another definition, such as a worker's, its namespace can be that of a caller's server. */
export function remoteToolNamed({ environment, program }: Turn, toolName: string): RemoteTool | undefined {
  const namespace = namespaceOf(toolName);
  if (namespace === undefined) return undefined;
  const { source = "remote" } = serverOf(program, namespace) ?? {};
  if (source !== "remote") return undefined;
  const server = environment.remote?.connected.get(namespace);
  return server !== undefined && "tools" in server
    ? server.tools.find(({ name }) => name === toolName)
    : undefined;
}

export function serverOf({ mcpServers }: Program, namespace: string): McpServerSpec | undefined {
  return Object.hasOwn(mcpServers, namespace) ? mcpServers[namespace] : undefined;
}

/** Tools of MCP servers are called `namespace__tool`. Undefined for any other name. */
export function namespaceOf(name: string): string | undefined {
  const end = name.indexOf("__");
  return end < 1 ? undefined : name.slice(0, end);
}
