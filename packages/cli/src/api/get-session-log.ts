import type { Api } from "../http/api.ts";
import { integer, record, records } from "../read.ts";

export type LogEntry = Readonly<Record<string, unknown>>;

export interface SessionLog {
  /** Oldest first. */
  readonly entries: readonly LogEntry[];
  readonly total: number;
  readonly truncated: boolean;
}

/** The newest entries, or the oldest after a sequence number. Undefined: the session has expired. */
export async function getSessionLog(
  api: Api,
  sessionId: string,
  withRequests: boolean,
  after?: number,
): Promise<SessionLog | undefined> {
  const query = {
    ...(!withRequests && { excludeModelRequests: "true" }),
    ...(after !== undefined && { after: String(after) }),
  };
  const path = `/api/agent-sessions/${encodeURIComponent(sessionId)}/logs`;
  const body = record((await api.request("GET", path, { query })).body);
  if (body.status === "expired") return undefined;
  return {
    entries: records(body, "entries"),
    total: integer(body, "total"),
    truncated: body.truncated === true,
  };
}
