import { isComputerNamespace, type McpServerSpec, type Program, type ThreadConfig } from "@muster/language";
import type { DynamicTool } from "../boundary/frame.ts";
import { mainThread } from "../conversation/messages.ts";
import type { Look } from "../shown/display.ts";
import type { Turn } from "../turn/turn.ts";
import { platformToolOf } from "./platform-tools.ts";

/**
 * The tools of the trigger, as far as a thread's model may call them: those of MCP servers on the threads that list the
 * server, or the source of servers that no thread lists. The others belong to the conversation, so in a session only
 * the main thread has them: a named thread has only the tools of its start-thread block. A worker has no main thread,
 * so all of its threads have them.
 */
export function callerTools(
  { program, frame }: Turn,
  thread: string,
  config: ThreadConfig,
): readonly DynamicTool[] {
  const isOfConversation = program.format === "worker" || thread === mainThread;
  return frame.dynamicTools.filter(({ name }) => {
    const namespace = namespaceOf(name);
    if (namespace === undefined) return isOfConversation && platformToolOf(name) === undefined;
    return isConnected(namespace, serverOf(program, namespace)?.source, config);
  });
}

/** No caller's tool is one of a remote server. One of an undeclared server may be of either of the caller's sources. */
function isConnected(
  namespace: string,
  source: McpServerSpec["source"] | undefined,
  { mcpServers, onDemandMcpServers }: ThreadConfig,
): boolean {
  if (mcpServers.includes(namespace)) return source !== "remote" || isComputerNamespace(namespace);
  return onDemandMcpServers.some((each) => each !== "remote" && (source ?? each) === each);
}

/** Also of a tool that no thread has, because a model may call it. */
export function lookOfCallerTool({ program, frame }: Turn, name: string): Look {
  const description = frame.dynamicTools.find((tool) => tool.name === name)?.description;
  const namespace = namespaceOf(name);
  if (namespace === undefined) return { display: "description", description };
  const { consumer, device } = program.onDemandMcpServers;
  const isOfComputer = isComputerNamespace(namespace);
  const undeclared = isOfComputer ? ({ display: "stream" } as const) : (consumer ?? device);
  const { display = "description", title }: Partial<McpServerSpec> =
    serverOf(program, namespace) ?? undeclared ?? {};
  // The descriptions of the computer's tools are long, and for the model: users see the names.
  return { display, title, ...(!isOfComputer && { description }) };
}

/** The error of a call of a server's tool that the thread does not have; undefined if the thread lists no such server. */
export function whyNotConnected(
  program: Program,
  name: string,
  { mcpServers }: Pick<ThreadConfig, "mcpServers">,
): string | undefined {
  const namespace = namespaceOf(name);
  const server = namespace === undefined ? undefined : serverOf(program, namespace);
  if (server === undefined || !mcpServers.includes(server.namespace)) return undefined;
  const text = `The tool ${JSON.stringify(name)} is of`;
  return server.source === "remote"
    ? `${text} a remote MCP server, which is not available on this server yet.`
    : `${text} the MCP server ${JSON.stringify(server.namespace)}, which did not bring it to this turn.`;
}

function serverOf({ mcpServers }: Program, namespace: string): McpServerSpec | undefined {
  return Object.hasOwn(mcpServers, namespace) ? mcpServers[namespace] : undefined;
}

/** Tools of MCP servers are called `namespace__tool`. Undefined for any other name. */
function namespaceOf(name: string): string | undefined {
  const end = name.indexOf("__");
  return end < 1 ? undefined : name.slice(0, end);
}
