import type { Api } from "../http/api.ts";
import { integer, records } from "../read.ts";

export type LogEntry = Readonly<Record<string, unknown>>;

/** The newest entries, or the oldest after a sequence number; oldest first. Undefined: the session has expired. */
export async function getSessionLog(api: Api, sessionId: string, withRequests: boolean, after?: number) {
  const query = {
    ...(!withRequests && { excludeModelRequests: "true" }),
    ...(after !== undefined && { after: String(after) }),
  };
  const path = `/api/agent-sessions/${encodeURIComponent(sessionId)}/logs`;
  const body = await api.read("GET", path, { query });
  if (body.status === "expired") return undefined;
  const entries: readonly LogEntry[] = records(body, "entries");
  return { entries, total: integer(body, "total"), truncated: body.truncated === true };
}
