import type { AgentSpec } from "./fake-agents.ts";

const prompts = { system: "You help customers of {{SHOP}}.", message: "{{TEXT}}" };

/** A chat with two tools, whose model is a session input. */
export const chat: AgentSpec = {
  prompts,
  protocol: `
input:
  SHOP: { type: string, default: Lantern }
  MODEL: { type: string, default: demo/echo }
variables:
  MOOD: { type: string, default: calm }
resources:
  NOTES: { type: string, default: none }
tools:
  get-order:
    description: Looks up an order.
    parameters:
      number: { type: string, description: The number of the order }
  send-mail:
    description: Sends a mail.
    parameters:
      to: { type: string, description: Who gets it }
triggers:
  say:
    input:
      TEXT: { type: string }
  greet: {}
agent:
  model: MODEL
  system: system
  input: [SHOP]
  tools: [get-order, send-mail]
  agentic: true
handlers:
  say:
    Add:
      block: add-message
      role: user
      prompt: message
      input: [TEXT]
    Answer:
      block: next-message
  greet:
    Answer:
      block: next-message
`,
};

/** The same with a backup model. */
export const chatWithBackup: AgentSpec = {
  prompts,
  protocol: chat.protocol.replace("agent:\n", "agent:\n  backupModel: demo/echo\n"),
};

export const requiresInput: AgentSpec = {
  prompts,
  protocol: chat.protocol.replace("SHOP: { type: string, default: Lantern }", "SHOP: { type: string }"),
};

export const worker: AgentSpec = {
  format: "worker",
  prompts: { message: "Hello" },
  protocol: `
steps:
  Open:
    block: start-thread
    thread: work
    model: demo/echo
  Ask:
    block: add-message
    role: user
    prompt: message
    thread: work
  Answer:
    block: next-message
    thread: work
`,
};

/** A worker with a tool and an output, whose model is an input. */
export const research: AgentSpec = {
  format: "worker",
  prompts: { task: "Find out about {{TOPIC}}." },
  protocol: `
input:
  TOPIC: { type: string }
  MODEL: { type: string, default: local/scripted }
variables:
  REPORT: { type: string }
tools:
  look-up:
    description: Looks something up.
    parameters:
      name: { type: string, description: What to look up }
steps:
  Open:
    block: start-thread
    thread: work
    model: MODEL
    tools: [look-up]
    agentic: true
  Ask:
    block: add-message
    role: user
    prompt: task
    input: [TOPIC]
    thread: work
  Answer:
    block: next-message
    thread: work
    output: REPORT
output: REPORT
`,
};
