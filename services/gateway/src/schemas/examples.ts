// Examples of request bodies in the OpenAPI document. A test sends each of them to a running server.

/** For the agent that the example of a create makes. */
export const createSessionExample = {
  agentSlug: "support-chat",
  metadata: { customer: "c-1042", plan: "free" },
};

export const updateSessionExample = { metadata: { plan: "paid", customer: null } };

export const triggerExample = {
  triggerName: "user-message",
  input: { USER_MESSAGE: "Where is order 1042?" },
};

/** Both of the above in one request. */
export const startSessionExample = { ...createSessionExample, trigger: triggerExample };

export const restoreExample = {
  messages: [
    {
      id: "msg_1",
      role: "user",
      parts: [{ type: "text", text: "Where is order 1042?", status: "done" }],
      status: "done",
      createdAt: "2030-01-31T12:00:00.000Z",
    },
  ],
};

/** For the agent of `examples/research-worker`. */
export const executeExample = {
  type: "start",
  input: { QUESTION: "Why do the tides change?", MODEL: "demo/echo", WRITER_MODEL: "demo/echo" },
};

/** For the agent that the example of a create makes. */
/** For a session that exists. */
export const uploadUrlsExample = {
  sessionId: "ses_01k8example",
  files: [{ filename: "report.txt", mediaType: "text/plain", size: 5 }],
};

/** For an approval that is pending. */
export const decideApprovalExample = {
  decision: "approve",
  message: "Agreed with the customer.",
  args: { orderId: "1042", amount: 120 },
};

/** For a call that its service has accepted. */
export const answerToolCallExample = { result: { refundId: "rf_1042", status: "paid" } };

export const mintTokenExample = { agentId: "agt_01k8example", ttlSeconds: 900 };

export const revokeTokenExample = { jti: "tok_01k8example" };

export const createKeyExample = { name: "Shop backend", permissions: ["sessions"] };

export const updateKeyExample = { limits: { monthlyUsd: 25, monthlyTokens: null } };

export const createProjectExample = { name: "Shop" };

export const updateProjectExample = {
  limits: { requestsPerMinute: 600 },
  approvals: { "payments__*": "ask" },
  toolHosts: ["orders.example.com", { host: "search.example.com", untrusted: true }],
};

/** The server generates a secret. */
export const setToolSecretExample = {};

export const createMcpServerExample = {
  slug: "issue-tracker",
  url: "https://mcp.example.com/mcp",
  auth: { type: "bearer", token: "0123456789abcdef" },
  tools: ["get_*", "create_comment"],
};

export const createWebhookExample = {
  url: "https://ops.example.com/muster",
  events: ["thread.completed", "thread.failed", "recording.ready"],
  description: "Tickets of operations",
};

export const updateWebhookExample = { enabled: true, description: null };

export const createHookExample = {
  name: "New issues",
  verify: { type: "github", secret: "It's a Secret to Everybody" },
  filter: { properties: { action: { const: "opened" } }, required: ["action", "issue"] },
  message: "Triage the issue {{ISSUE_HTML_URL}}.\n\n{{ISSUE_TITLE}}\n\n{{ISSUE_BODY}}",
  threadKey: "{{ISSUE_HTML_URL}}",
};

export const updateHookExample = { enabled: true, filter: null };

export const createScheduleExample = {
  name: "Morning report",
  cron: "0 9 * * 1-5",
  timezone: "Europe/Berlin",
  message: "Summarise the failures of the night.",
  misfire: "once",
};

export const updateScheduleExample = { cron: "30 8 * * 1-5", misfireWindowMs: null };

export const updateMcpServerExample = { tools: null, timeoutMs: 120_000 };

/** For the agent that the example of a create makes. */
export const createIdentityProviderExample = {
  name: "GitHub Actions of acme/app",
  issuer: "https://token.actions.githubusercontent.com",
  conditions: [
    { claim: "repository_id", equals: ["123456789"] },
    { claim: "ref", startsWith: "refs/heads/" },
  ],
  scope: { agentId: "agt_01k8example" },
};

export const updateIdentityProviderExample = { maxLifetimeSeconds: 900 };
export const startThreadExample = {
  message: "Which of these hosts failed most? web-1 ok, web-2 failed, web-2 failed, db-1 failed",
  ifIdle: false,
};

export const followUpExample = { message: "And which one failed first?" };

export const hireAgentExample = { name: "Lou", prebuilt: "log-analyst", limits: { monthlyUsd: 25 } };

export const updateHiredAgentExample = {
  paused: false,
  limits: { monthlyUsd: 50, monthlyRuns: null },
  approvals: { shell: "ask" },
};

export const createComputerExample = { name: "Build machine", kind: "dedicated", os: "linux" };

export const createComputerTokenExample = { name: "Rack 2" };

export const createAgentKeyExample = { name: "Nightly build" };

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
