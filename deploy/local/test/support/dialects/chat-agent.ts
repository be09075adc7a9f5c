/** An agent for clients of any dialect: it thinks, calls tools, waits for decisions and takes files. */
export const chatAgent = {
  settings: { slug: "chat", name: "Chat", format: "interactive" },
  protocol: `
tools:
  weather:
    description: Looks up the weather.
    parameters:
      city: { type: string }
  refund:
    description: Refunds an order.
    parameters:
      order: { type: string }
    approval: { ask: true }
  rebook:
    description: Books another one.
    parameters:
      order: { type: string }
    approval: { ask: true }
triggers:
  user-message:
    input:
      TEXT: { type: string }
      FILES: { type: "file[]", optional: true }
agent: { model: demo/echo, system: system, agentic: true, thinking: low, tools: [weather, refund, rebook] }
handlers:
  user-message:
    Add: { block: add-message, role: user, prompt: user, input: [TEXT], files: [FILES] }
    Answer: { block: next-message }
`,
  prompts: [
    { name: "system", content: "Answer." },
    { name: "user", content: "{{TEXT}}" },
  ],
};
