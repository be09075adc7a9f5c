/** A request that the server must refuse, or answer without an effect. */
export interface BadRequest {
  title: string;
  method: string;
  path: string;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent unchanged. */
  raw?: string;
  headers?: Record<string, string>;
  /** No credential; or one of another project, or without the permission. */
  key?: "none" | "other-project" | "no-permission";
  status: number;
  code: string;
  /** The path of an issue that is named. */
  issue?: RegExp;
}

/** The names of the test's sessions in paths and bodies. */
export interface Names {
  agentId: string;
  workerId: string;
  archivedId: string;
  /** Had one turn. */
  idle: string;
  idleExecution: string;
  /** Waits for the results of `call`. */
  paused: string;
  pausedExecution: string;
  call: string;
  /** Had one turn, too. */
  otherExecution: string;
  otherMessage: string;
  otherCall: string;
  expired: string;
}

export type Row = Omit<BadRequest, "title" | "method" | "path">;

export const invalid = (more: Partial<Row> = {}): Row => ({ status: 400, code: "INVALID_REQUEST", ...more });
export const unknown = (more: Partial<Row> = {}): Row => ({ status: 404, code: "NOT_FOUND", ...more });
export const noJson = (raw: string): Row => ({ status: 400, code: "INVALID_JSON", raw });
export const wrongInput = (body: object): Row => ({ status: 400, code: "INVALID_INPUT", body });

export const sessions = "/api/agent-sessions";

/** The path of a session, or of something in it. */
export const of = (id: string, rest = ""): string => `${sessions}/${id}${rest}`;

/** One request for each row, whose title continues the method and the path. */
export function requests(method: string, path: string, rows: Record<string, Row>): BadRequest[] {
  return Object.entries(rows).map(([title, row]) => ({
    title: `${method} ${path.replace(/ses_\w+/, ":id")} ${title}`,
    method,
    path,
    ...row,
  }));
}
