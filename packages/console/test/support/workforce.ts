import type { Chats, startChats } from "@muster/local/testing/chats";
import { until } from "@muster/testing";

type Step = NonNullable<Parameters<typeof startChats>[1]>[number];

export const runs = (command: string): Step => ({
  parts: [{ toolCall: { name: "shell__run_command", arguments: { command } } }],
});
export const says = (text: string): Step => ({ parts: [{ text }] });

export async function hire({ client }: Chats, name = "Lou", more: object = {}): Promise<string> {
  const body = { ...more, name, prebuilt: "log-analyst", settings: { model: "local/scripted" } };
  return String(await client.field("agentId", 201, "POST", "/api/admin/workforce/agents", body));
}

const threadsOf = (agentId: string) => `/api/admin/workforce/agents/${agentId}/threads`;

export async function give({ client }: Chats, agentId: string, message: string): Promise<string> {
  return String(await client.field("threadId", 201, "POST", threadsOf(agentId), { message }));
}

export async function statusOf({ client }: Chats, agentId: string, threadId: string): Promise<unknown> {
  return (await client.json(200, "GET", `${threadsOf(agentId)}/${threadId}`)).status;
}

export function ended(server: Chats, agentId: string, threadId: string): Promise<void> {
  return until("the thread ends", async () => (await statusOf(server, agentId, threadId)) === "completed");
}
