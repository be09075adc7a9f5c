import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readAgentFolder } from "@muster/language/folder";
import { startTestServer } from "@muster/local/testing/server";
import { type ScriptedRequest, type ScriptedStep, startScriptedProvider } from "@muster/models/testing";
import { eventsOf, type TestClient, until } from "@muster/testing";
import type { TestContext } from "vitest";

export type Events = Array<Record<string, unknown>>;

export interface Example {
  client: TestClient;
  /** MUSTER_URL and MUSTER_API_KEY, for the example's own program. */
  env: Record<string, string>;
  agentId: string;
  /** Opens a session. */
  session(input?: Record<string, unknown>): Promise<string>;
  /** One turn of a session, to its end or to the next tool request. */
  trigger(sessionId: string, body: Record<string, unknown>): Promise<Events>;
  /** Starts or continues a worker. */
  execute(body: Record<string, unknown>): Promise<Events>;
}

/**
 * Starts Muster with a scripted Anthropic, creates the agent of a folder unchanged, and fails the test if the
 * definition has any errors or warnings or if the script is not followed to its end. `settings`: of Muster. `prepare`: is called
 * before the agent is created; its replacements are made in the protocol, for addresses that are free.
 */
export async function startExample(
  t: TestContext,
  folder: string,
  steps: ScriptedStep[],
  settings: Record<string, string> = {},
  prepare: (client: TestClient) => Promise<Record<string, string>> = async () => ({}),
): Promise<Example> {
  const provider = await startScriptedProvider(t, { format: "anthropic", steps });
  const environment = { ANTHROPIC_BASE_URL: provider.baseUrl, ANTHROPIC_API_KEY: "test", ...settings };
  const { client, url, key } = await startTestServer(t, environment);
  const read = await readAgentFolder(folder);
  assert.ok(read.ok, JSON.stringify(read));
  let { protocol } = read.definition;
  for (const [written, used] of Object.entries(await prepare(client)))
    protocol = protocol.replace(written, used);
  const definition = { ...read.definition, protocol };
  const report = await client.json(200, "POST", "/api/agents/validate", definition);
  assert.deepEqual({ errors: report.errors, warnings: report.warnings }, { errors: [], warnings: [] });
  const agentId = await client.field("agentId", 201, "POST", "/api/agents", definition);
  return {
    client,
    env: { MUSTER_URL: url, MUSTER_API_KEY: key },
    agentId,
    session: (input = {}) =>
      client.field("sessionId", 201, "POST", "/api/agent-sessions", { agentId, input }),
    trigger: (sessionId, body) => client.trigger(sessionId, body),
    execute: async (body) => {
      const response = await client.request("POST", `/api/agents/${agentId}/execute`, body);
      const text = await response.text();
      assert.equal(response.status, 200, text);
      return eventsOf(text);
    },
  };
}

/** Runs an example's program on this Node, with only `env` in its environment. */
export function runProgram(
  file: string,
  nodeOptions: readonly string[],
  env: Record<string, string>,
  programArguments: readonly string[] = [],
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const command = [...nodeOptions, file, ...programArguments];
    const child = execFile(process.execPath, command, { env }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    );
  });
}

export interface RunningProgram {
  /** Everything that it has printed so far. */
  output(): string;
  /** The first text that matches. */
  printed(pattern: RegExp): Promise<string>;
}

/** Starts an example's program that runs until the end of the test. */
export async function startProgram(
  t: TestContext,
  file: string,
  env: Record<string, string>,
): Promise<RunningProgram> {
  let output = "";
  const child = spawn(process.execPath, [file], { env });
  const ended = once(child, "exit");
  t.onTestFinished(async () => {
    child.kill();
    await ended;
  });
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  const printed = async (pattern: RegExp) => {
    await until(`${file} prints ${pattern}`, () => pattern.test(output));
    return pattern.exec(output)?.[0] ?? "";
  };
  return { output: () => output, printed };
}

/** The system prompt and messages of a request, as one text. */
export function promptOf({ body }: ScriptedRequest): string {
  return JSON.stringify([body.system, body.messages]).replaceAll("\\n", "\n").replaceAll('\\"', '"');
}

/** The names of the tools that a request offers. */
export function offered({ body }: ScriptedRequest): string[] {
  assert.ok(body.tools === undefined || Array.isArray(body.tools));
  return (body.tools ?? []).map((tool: { name?: unknown }) => String(tool.name));
}

/** The tool calls that a turn is waiting for. */
export function requested(events: Events): Array<{ toolCallId: string; toolName: string; args: unknown }> {
  const request = events.find(({ type }) => type === "tool-request");
  assert.ok(Array.isArray(request?.toolCalls), `no tool request in ${events.map(({ type }) => type)}`);
  return request.toolCalls;
}

export function resultsFor(events: Events, result: unknown): Array<Record<string, unknown>> {
  return requested(events).map(({ toolCallId, toolName }) => ({ toolCallId, toolName, result }));
}
