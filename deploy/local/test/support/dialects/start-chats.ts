import { type ScriptedStep, startScriptedProvider } from "@muster/models/testing";
import type { TestScope } from "@muster/testing";
import { startTestServer } from "../server.ts";

/** It thinks aloud, looks orders up through its caller, and makes refunds once a user agrees. */
const desk = {
  settings: { slug: "desk", name: "Desk", format: "interactive" },
  protocol: `
triggers:
  user-message:
    input:
      TEXT: { type: string }
      FILES: { type: "file[]", optional: true }
tools:
  get-order:
    description: Looks an order up.
    display: stream
    parameters: { number: { type: string } }
  look-up:
    description: Looks a note up.
    display: name
    parameters: { number: { type: string } }
  refund:
    description: Refunds an order.
    display: stream
    parameters: { number: { type: string } }
    approval: { ask: true, title: "Refund {{number}}" }
agent:
  model: local/scripted
  system: system
  agentic: true
  tools: [get-order, look-up, refund]
handlers:
  user-message:
    Add: { block: add-message, role: user, prompt: say, input: [TEXT], files: [FILES] }
    Answer: { block: next-message }
`,
  prompts: [
    { name: "system", content: "You help customers." },
    { name: "say", content: "{{TEXT}}" },
  ],
};

export type Chats = Awaited<ReturnType<typeof startChats>>;

/** A Muster with the agent `desk`, whose model plays a script. */
export async function startChats(t: TestScope, steps: ScriptedStep[] = [], env: Record<string, string> = {}) {
  const provider = await startScriptedProvider(t, { format: "openai", steps });
  const server = await startTestServer(t, { LOCAL_BASE_URL: provider.baseUrl, ...env });
  const agentId = await server.client.field("agentId", 201, "POST", "/api/agents", desk);
  return { ...server, agentId, provider };
}

/** A step in which the model calls a tool. */
export const calls = (name: string, id: string, number = "7"): ScriptedStep => ({
  parts: [{ toolCall: { id, name, arguments: { number } } }],
});
