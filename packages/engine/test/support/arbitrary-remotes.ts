import type { Display, McpServerSpec, ToolSpec } from "@muster/language";
import fc from "fast-check";
import type { PendingRemoteCall } from "../../src/boundary/frame.ts";
import type {
  Input,
  Machine,
  OpenCall,
  RemoteOutcome,
  RemoteServers,
  RemoteTool,
} from "../../src/boundary/machine.ts";
import type { ToolCallPart } from "../../src/conversation/conversation.ts";

/** Remote calls of random programs: MCP servers, of which one is down and one is registered only, and HTTP tools. */
const displays: Record<string, Display> = { early: "stream", late: "name", down: "stream" };
export const namespaces = Object.keys(displays);

const inputSchema = { type: "object" };
function toolsOf(namespace: string): { tools: RemoteTool[] } {
  const tools = [true, false].map((isRepeatable): RemoteTool => {
    const remoteName = isRepeatable ? "again" : "once";
    return { name: `${namespace}__${remoteName}`, remoteName, isRepeatable, description: "", inputSchema };
  });
  return { tools };
}

/** All tools are known from the start, but models have those of active servers only. */
const connected: Array<[string, { tools: RemoteTool[] } | { problem: string }]> = [
  ...["early", "late", "spare"].map((name): [string, { tools: RemoteTool[] }] => [name, toolsOf(name)]),
  ["down", { problem: "It is down." }],
];
export const remoteServers: RemoteServers = {
  registered: [...namespaces, "spare"],
  connected: new Map(connected),
};
export const remoteNames = [...namespaces, "spare"].flatMap((name) => toolsOf(name).tools.map(nameOf));

function nameOf({ name }: { name: string }): string {
  return name;
}

export const mcpServers: Record<string, Partial<McpServerSpec>> = Object.fromEntries(
  namespaces.map((name) => [
    name,
    { display: displays[name] ?? "stream", connection: name === "late" ? "lazy" : "eager" },
  ]),
);

const asPost = { method: "POST", timeoutMs: 30_000, openForMs: 60_000 } as const;

/** The tool as one of a service. */
export function overHttp(tool: ToolSpec, idempotent: boolean): ToolSpec {
  return { ...tool, http: { url: "https://tools.example.com/", idempotent, ...asPost } };
}

/** The outcome of a call that waits. */
export interface Answered {
  type: "remote";
  /** Among all that wait. */
  index: number;
  kind: "result" | "error" | "foreign" | "open";
}

export const answered: fc.Arbitrary<Answered> = fc.record({
  type: fc.constant("remote"),
  index: fc.nat(5),
  kind: fc.constantFrom("result", "result", "error", "foreign", "open"),
});

interface Waiting extends PendingRemoteCall {
  workerId?: string;
  part: ToolCallPart;
}

/** The remote calls that the turn and its workers wait for. */
export function remotesIn(machine: Machine): Waiting[] {
  const { frame } = machine;
  const workers = (frame.workers ?? []).flatMap((worker) => worker.frame.workerId ?? []);
  return [undefined, ...workers].flatMap((workerId) => {
    const turn = workerId === undefined ? machine : machine.worker(workerId);
    const parts = turn?.conversation.messages.flatMap((message) => message.parts) ?? [];
    return (turn?.frame.remoteCalls ?? []).flatMap((call) => {
      const part = parts.find((each) => each.type === "tool-call" && each.toolCallId === call.toolCallId);
      return part?.type === "tool-call" ? { ...call, ...(workerId !== undefined && { workerId }), part } : [];
    });
  });
}

/** Results of blocks do not name their tool, as those of callers do not. */
export function remoteOutcome(machine: Machine, { index, kind }: Omit<Answered, "type">): Input | undefined {
  const waiting = remotesIn(machine);
  const call = waiting[index % waiting.length];
  if (call === undefined) return undefined;
  const { toolCallId, workerId, part } = call;
  const words = part.source === "llm" ? `res-${part.toolName}` : "found";
  const ended = kind === "error" ? { type: "error" as const, error: words } : resultOf(words);
  const outcome: RemoteOutcome = {
    ...(kind === "open" ? openCall(toolCallId) : ended),
    ...(kind === "foreign" && { isForeign: true }),
  };
  return { type: "remote-outcome", ...(workerId !== undefined && { workerId }), toolCallId, outcome };
}

function resultOf(words: string) {
  return { type: "result" as const, result: { words } };
}

/** The outcome of a call that its service has accepted. */
export function openCall(toolCallId: string): OpenCall {
  return { type: "open", callId: `open_${toolCallId}`, expiresAt: "2026-11-28T00:00:00.000Z" };
}
