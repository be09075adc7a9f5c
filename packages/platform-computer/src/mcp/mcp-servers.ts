import { Client, type Tool } from "@modelcontextprotocol/client";
import type { ComputerTool } from "@muster/computers/tools";
import { isJsonObject, isJsonValue, type JsonSchema, type JsonValue } from "@muster/language/json";
import type { McpFile } from "@muster/mcp-client";
import { nameTools } from "@muster/mcp-client/names";
import { readResult } from "@muster/mcp-client/results";
import type { Execution } from "../calls/execution.ts";
import { refused } from "../calls/refused.ts";
import type { Outcome } from "../state/outcome.ts";
import { GroupTransport } from "./group-transport.ts";
import type { McpServerSettings } from "./read-mcp-file.ts";

const startMs = 60_000;
const callMs = 600_000;
const maxTools = 100;
/** A frame has 1 MiB, and all tools are in one. */
const maxToolBytes = 64 * 1024;
const maxBytesOfAll = 800 * 1024;

export interface McpServersOptions {
  servers: readonly McpServerSettings[];
  dir: string;
  env: NodeJS.ProcessEnv;
  version: string;
  /** Shows a line to the user. */
  warn(line: string): void;
}

type NamespacedTool = Tool & { namespace: string };

interface Running {
  client: Client;
  /** Why it has ended. */
  problem: string | undefined;
}

/** The MCP servers of this computer. They run until {@link McpServers.close}, or until this process dies. */
export class McpServers {
  readonly tools: ComputerTool[] = [];
  readonly #options: McpServersOptions;
  readonly #running = new Map<string, Running>();
  /** The server and its name of a tool, by the name for the platform. */
  readonly #places = new Map<string, { server: string; tool: string }>();
  #bytes = 0;

  private constructor(options: McpServersOptions) {
    this.#options = options;
  }

  /** Starts all servers at once. One that does not start is reported, and has no tools. */
  static async start(options: McpServersOptions): Promise<McpServers> {
    const servers = new McpServers(options);
    const started = await Promise.all(options.servers.map((settings) => servers.#start(settings)));
    const { byName, problems } = nameTools(started.flat());
    for (const problem of problems) options.warn(problem);
    for (const [name, tool] of byName) servers.#offer(name, tool);
    return servers;
  }

  has(name: string): boolean {
    return this.#places.has(name);
  }

  async call(name: string, args: JsonValue, execution: Execution): Promise<Outcome> {
    const { server = "", tool = "" } = this.#places.get(name) ?? {};
    const running = this.#running.get(server);
    if (running === undefined || running.problem !== undefined)
      return { error: `The MCP server ${server} on this computer ${running?.problem ?? "does not run"}.` };
    if (!isJsonObject(args)) return { error: "The arguments must be an object." };
    const { approve, begin, signal } = execution;
    if (!(await approve(`call ${tool} of ${server} with`, JSON.stringify(args, null, 2)))) return refused;
    begin();
    try {
      const timing = { signal, timeout: callMs, maxTotalTimeout: callMs };
      const result = await running.client.callTool({ name: tool, arguments: { ...args } }, timing);
      const read = readResult(result, noteOf);
      return "error" in read ? read : { result: JSON.stringify(read.result) };
    } catch (error) {
      if (signal.aborted) return { aborted: true };
      if (running.problem !== undefined)
        return { error: `The MCP server ${server} on this computer ${running.problem}.` };
      return { error: `The MCP server ${server} failed: ${error instanceof Error ? error.message : error}` };
    }
  }

  async close(): Promise<void> {
    for (const running of this.#running.values()) running.problem ??= "was stopped";
    await Promise.all([...this.#running.values()].map(({ client }) => client.close().catch(() => {})));
  }

  async #start({ name, command, args, env }: McpServerSettings) {
    const { dir, warn, version } = this.#options;
    const client = new Client(
      { name: "muster-computer", version },
      { versionNegotiation: { mode: "auto", probe: { timeoutMs: startMs / 4 } } },
    );
    const running: Running = { client, problem: undefined };
    this.#running.set(name, running);
    const group = { program: [command, ...args], cwd: dir, env: { ...this.#options.env, ...env } };
    const transport = new GroupTransport(group, (text) => {
      for (const line of text.split("\n")) if (line.trim() !== "") warn(`[${name}] ${line}`);
    });
    const deadline = AbortSignal.timeout(startMs);
    try {
      await client.connect(transport, { timeout: startMs, signal: deadline });
      const { tools } = await client.listTools(undefined, { timeout: startMs, signal: deadline });
      client.onclose = () => {
        if (running.problem !== undefined) return;
        running.problem = "has ended";
        warn(`The MCP server ${name} has ended. Its tools fail until this command is started again.`);
      };
      return tools.map((tool) => ({ ...tool, namespace: name }));
    } catch (error) {
      running.problem = "did not start";
      const reason = error instanceof Error ? error.message : String(error);
      warn(`The MCP server ${name} did not start, so its tools are not offered: ${reason}`);
      await transport.close();
      return [];
    }
  }

  #offer(name: string, { namespace, name: tool, description = "", inputSchema }: NamespacedTool): void {
    const problem = this.#problemOf(name, inputSchema, description);
    if (problem !== undefined || !isSchema(inputSchema)) {
      const reason = problem ?? "its schema is not valid";
      this.#options.warn(`The tool ${tool} of the MCP server ${namespace} is not offered: ${reason}.`);
      return;
    }
    this.tools.push({ name, description, inputSchema });
    this.#places.set(name, { server: namespace, tool });
  }

  #problemOf(name: string, inputSchema: unknown, description: string): string | undefined {
    if (this.tools.length >= maxTools) return `there are ${maxTools} already`;
    const bytes = Buffer.byteLength(JSON.stringify({ name, description, inputSchema }));
    if (bytes > maxToolBytes || this.#bytes + bytes > maxBytesOfAll) return "its description is too long";
    this.#bytes += bytes;
    return undefined;
  }
}

function isSchema(value: unknown): value is JsonSchema {
  return isJsonValue(value) && isJsonObject(value);
}

/** A model cannot read pictures and sound in JSON, so only their type and size are passed on. */
function noteOf({ content }: McpFile) {
  return { note: `${content.length} bytes that cannot be shown here` };
}
