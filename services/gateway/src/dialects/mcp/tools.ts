/** A tool that is a route of the API: the same arguments, checks and result. */
export interface RouteTool {
  description: string;
  /** In the access table. A key of a workforce agent uses the same path under `/api/v1`, if there is one. */
  route: string;
  /** Changes nothing. */
  isRead?: boolean;
  /** Ends or removes something. */
  isDestructive?: boolean;
  /** Not a plain request of the route: see `CallTool`. */
  kind?: "deploy" | "read-thread";
}

const workforce = "/api/admin/workforce/agents";
const thread = `${workforce}/:agentId/threads/:threadId`;

/** In the order in which clients list them. */
export const tools: Readonly<Record<string, RouteTool>> = {
  muster_agents_list: {
    description: "Lists the agents of the project.",
    route: "GET /api/agents",
    isRead: true,
  },
  muster_agents_get: {
    description: "Reads an agent with its definition, by id, or by slug with `by: slug`.",
    route: "GET /api/agents/:id",
    isRead: true,
  },
  muster_agents_validate: {
    description: "Checks the definition of an agent, and lists its errors and warnings. Stores nothing.",
    route: "POST /api/agents/validate",
    isRead: true,
  },
  muster_agents_deploy: {
    description: "Creates the agent, or a new version of the agent with its slug.",
    route: "POST /api/agents",
    kind: "deploy",
  },
  muster_agents_archive: {
    description: "Archives an agent: nothing new can be started with it.",
    route: "DELETE /api/agents/:id",
    isDestructive: true,
  },
  muster_sessions_list: {
    description: "Lists sessions, the latest first.",
    route: "GET /api/agent-sessions",
    isRead: true,
  },
  muster_sessions_read: {
    description: "Reads a session with its messages; `format: ui` is the short form.",
    route: "GET /api/agent-sessions/:sessionId",
    isRead: true,
  },
  muster_sessions_trace: {
    description: "Reads the log of a session: each block, model request and tool call with its times.",
    route: "GET /api/agent-sessions/:sessionId/logs",
    isRead: true,
  },
  muster_workforce_list: {
    description: "Lists the workforce agents of the project with their status.",
    route: `GET ${workforce}`,
    isRead: true,
  },
  muster_workforce_threads: {
    description: "Lists the threads of a workforce agent, the latest first.",
    route: `GET ${workforce}/:agentId/threads`,
    isRead: true,
  },
  muster_workforce_dispatch: {
    description:
      "Gives a workforce agent a message as a new thread, and returns at once. Read the thread next.",
    route: `POST ${workforce}/:agentId/threads`,
  },
  muster_workforce_read: {
    description:
      "Reads a thread with its messages. With `wait`, the number of seconds up to 60, it returns once the thread has ended or waits for a decision.",
    route: `GET ${thread}`,
    isRead: true,
    kind: "read-thread",
  },
  muster_workforce_follow_up: {
    description: "Sends another message to a thread.",
    route: `POST ${thread}/messages`,
  },
  muster_workforce_cancel: {
    description: "Cancels the run of a thread.",
    route: `POST ${thread}/cancel`,
    isDestructive: true,
  },
  muster_approvals_list: {
    description: "Lists tool calls that wait for a user's decision, or waited for one.",
    route: "GET /api/approvals",
    isRead: true,
  },
  muster_approvals_decide: {
    description: "Approves or denies a tool call that waits for a decision.",
    route: "POST /api/approvals/:approvalId",
    isDestructive: true,
  },
};
