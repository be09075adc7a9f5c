/** Examples of the OpenAPI document. A test sends them to the real server. */
export const agentIdExample = "agt_01jd3q8e6p7x2m4n5r9s0t1v3w";

export const agentExample = {
  settings: { slug: "support-chat", name: "Support chat", format: "interactive" },
  protocol: `triggers:
  user-message:
    input:
      USER_MESSAGE: { type: string, description: What the user wrote }
agent: { model: demo/echo, system: system }
handlers:
  user-message:
    Add the message: { block: add-message, role: user, prompt: user-message, input: [USER_MESSAGE] }
    Answer: { block: next-message }
`,
  prompts: [
    { name: "system", content: "You answer questions about orders." },
    { name: "user-message", content: "{{USER_MESSAGE}}" },
  ],
};

const problem = {
  message: "Line 8, column 14: There is no block nxt-message. Did you mean next-message?",
  path: "handlers.user-message.Answer.block",
  severity: "error",
};

export const validationExample = {
  valid: false,
  errors: [problem],
  warnings: [],
  issues: [{ code: "UNKNOWN_BLOCK", ...problem, suggestions: ["next-message"] }],
};
