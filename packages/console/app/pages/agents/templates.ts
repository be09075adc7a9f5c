import type { CreateAgentRequest } from "@muster/client";

export type Template = Pick<CreateAgentRequest, "protocol" | "prompts"> & {
  title: string;
  text: string;
  format: "interactive" | "worker";
};

const say = { name: "user-message", content: "{{USER_MESSAGE}}\n" };

/** Definitions to begin with, which compile. `MODEL` is replaced by the chosen one. */
export const templates = [
  {
    title: "Chat",
    text: "Answers messages, with a system prompt.",
    format: "interactive",
    protocol: `triggers:
  user-message:
    input:
      USER_MESSAGE: { type: string, description: The message of the user }

agent:
  model: MODEL
  system: system

handlers:
  user-message:
    Add the message: { block: add-message, role: user, prompt: user-message, input: [USER_MESSAGE] }
    Answer: { block: next-message }
`,
    prompts: [{ name: "system", content: "You are a helpful assistant. Be brief.\n" }, say],
  },
  {
    title: "Chat with a tool",
    text: "Calls a tool of yours, and asks before it changes something.",
    format: "interactive",
    protocol: `triggers:
  user-message:
    input:
      USER_MESSAGE: { type: string, description: The message of the user }

tools:
  get-order:
    description: Looks up an order by its number.
    parameters:
      orderNumber: { type: string, description: "The order number, such as 1042" }
  refund:
    description: Refunds an order.
    parameters:
      orderNumber: { type: string, description: "The order number, such as 1042" }
    approval: { ask: true, title: "Refund {{orderNumber}}" }

agent:
  model: MODEL
  system: system
  tools: [get-order, refund]
  agentic: true

handlers:
  user-message:
    Add the message: { block: add-message, role: user, prompt: user-message, input: [USER_MESSAGE] }
    Answer: { block: next-message }
`,
    prompts: [
      {
        name: "system",
        content:
          "You answer customers of a shop. Look an order up with `get-order` before you say anything about it.\n",
      },
      say,
    ],
  },
  {
    title: "Worker",
    text: "Runs one task and returns a value.",
    format: "worker",
    protocol: `input:
  TEXT: { type: string, description: The text to summarize }

variables:
  SUMMARY: { type: string }

steps:
  Open the thread: { block: start-thread, thread: main, model: MODEL }
  Ask: { block: add-message, role: user, prompt: task, input: [TEXT] }
  Summarize: { block: next-message, output: SUMMARY }

output: SUMMARY
`,
    prompts: [{ name: "task", content: "Summarize in one sentence:\n\n{{TEXT}}\n" }],
  },
  {
    title: "Empty",
    text: "The smallest possible agent.",
    format: "interactive",
    protocol: `agent:
  model: MODEL

triggers:
  start:

handlers:
  start:
    Answer: { block: next-message }
`,
    prompts: [],
  },
] as const satisfies readonly Template[];
