/** The address of a workforce agent in the API. */
export function agentPath(agentId: string): string {
  return `/api/admin/workforce/agents/${encodeURIComponent(agentId)}`;
}

export function threadPath(agentId: string, threadId: string): string {
  return `${agentPath(agentId)}/threads/${encodeURIComponent(threadId)}`;
}
