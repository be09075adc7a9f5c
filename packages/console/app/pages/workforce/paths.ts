import { route } from "../../api.ts";

/** The address of a workforce agent in the API. */
export const agentPath = (agentId: string) => route`/api/admin/workforce/agents/${agentId}`;

export const threadPath = (agentId: string, threadId: string) =>
  route`/api/admin/workforce/agents/${agentId}/threads/${threadId}`;
