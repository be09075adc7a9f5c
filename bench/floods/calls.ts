import type { Api, Reply } from "../support/api.ts";

/** The first turn loads the provider's package, and the first large body starts a thread. */
export async function warmUp(api: Api, agentId: string): Promise<void> {
  const body = JSON.stringify({ ...message("Hello"), filler: "x".repeat(200_000) });
  await (await trigger(api, agentId, Buffer.from(body)))();
}

/** Sends the body to a new session. */
export async function trigger(api: Api, agentId: string, body: Buffer): Promise<() => Promise<Reply>> {
  const path = await session(api, agentId);
  return () => api.send("POST", `${path}/trigger`, { body });
}

/** The path of a new session. */
export async function session(api: Api, agentId: string): Promise<string> {
  return `/api/agent-sessions/${await api.create("/api/agent-sessions", { agentId }, "sessionId")}`;
}

export function message(text: string): object {
  return { triggerName: "user-message", input: { USER_MESSAGE: text } };
}

const protocol = `
triggers:
  user-message: { input: { USER_MESSAGE: { type: string } } }
  store: { input: { DATA: { type: unknown } } }
tools:
  lookup: { description: Looks something up, display: stream }
agent: { model: local/m, system: system, tools: [lookup], agentic: true }
handlers:
  user-message:
    Add the message: { block: add-message, role: user, prompt: user-message, input: [USER_MESSAGE] }
    Answer: { block: next-message }
  store:
    Add the message: { block: add-message, role: user, prompt: stored }
    Answer: { block: next-message }
`;

/** The definition of the agent that most floods use. */
export const definition = {
  settings: { slug: "floods", name: "Floods", format: "interactive" },
  protocol,
  prompts: [
    { name: "system", content: "You are helpful." },
    { name: "user-message", content: "{{USER_MESSAGE}}" },
    { name: "stored", content: "The data is stored." },
  ],
};
