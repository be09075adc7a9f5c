import { Approvals } from "./approvals.ts";
import { MusterError } from "./errors.ts";
import type { Http, Sent } from "./http.ts";
import { Turn, type TurnOptions, type TurnPlace, type TurnRoutes } from "./turn.ts";
import { type FileToUpload, type UploadOptions, uploadFiles } from "./upload-files.ts";
import type {
  ActiveSession,
  CancelledExecution,
  ClearedSession,
  ExpiredSession,
  FileReference,
  RestoredSession,
  RestoreSessionRequest,
  ToolResult,
  TriggerRequest,
  UiSession,
  UpdatedSession,
} from "./wire-types.ts";

type Signal = Pick<Sent, "signal">;

/** The settings of one request of a turn. By default, a turn outlives its connection: `onDisconnect` is `continue`. */
type Lasting = Pick<TriggerRequest, "onDisconnect" | "usage" | "maxUsd">;

export type TriggerOptions = TurnOptions &
  Lasting &
  Pick<TriggerRequest, "sender" | "dynamicToolSchemas" | "rollbackAfterMessageId">;

/** Messages from the end: `limit` of them, before the one with the id `before`. */
export interface SessionPage extends Signal {
  limit?: number | undefined;
  before?: string | undefined;
}

/** One session. */
export class Session {
  readonly id: string;
  readonly #http: Http;

  constructor(http: Http, id: string) {
    this.#http = http;
    this.id = id;
  }

  /**
   * Sends input to a trigger of the agent. If the connection breaks before the first event, reading throws OUTCOME_UNKNOWN:
   * the turn may have begun.
   */
  trigger(triggerName: string, input: Record<string, unknown> = {}, options: TriggerOptions = {}): Turn {
    const { tools: _tools, onApproval: _onApproval, signal, onDisconnect = "continue", ...more } = options;
    const body = { triggerName, input, onDisconnect, ...more };
    const begin = () => this.#http.stream("POST", `${pathOf(this.id)}/trigger`, { body, signal });
    return this.#turn({ begin }, options);
  }

  /**
   * Continues a turn that waits for the results of tool calls. Calls without a result are cancelled. The request is repeated
   * across lost connections.
   */
  continue(executionId: string, toolResults: ToolResult[], options: TurnOptions & Lasting = {}): Turn {
    return this.#turn({ toolResults }, options, { executionId });
  }

  /** Reads a turn from an event on, live, through its pauses, to its end. Any number of readers can. */
  attach({ executionId, after }: TurnPlace, options: TurnOptions = {}): Turn {
    return this.#turn({ followsPauses: options.onApproval === undefined }, options, { executionId, after });
  }

  /** The session with its messages. `format: "ui"`: only the parts that users may see. */
  get(options: SessionPage & { format: "ui" }): Promise<UiSession | ExpiredSession>;
  get(options?: SessionPage): Promise<ActiveSession | ExpiredSession>;
  get({ signal, ...query }: SessionPage & { format?: "ui" } = {}): Promise<unknown> {
    return this.#http.json("GET", pathOf(this.id), { query, signal });
  }

  /** Ends the running turn, and thereby its stream. False if none was running. */
  async cancel({ signal }: Signal = {}): Promise<boolean> {
    const path = `${pathOf(this.id)}/cancel`;
    return (await this.#http.json<CancelledExecution>("POST", path, { signal, isRepeatable: true }))
      .cancelled;
  }

  /** Makes the session expire. */
  clear({ signal }: Signal = {}): Promise<ClearedSession> {
    return this.#http.json("DELETE", pathOf(this.id), { signal });
  }

  /** Makes an expired session active with messages that you have stored. */
  restore(body: RestoreSessionRequest, { signal }: Signal = {}): Promise<RestoredSession> {
    return this.#http.json("POST", `${pathOf(this.id)}/restore`, { body, signal });
  }

  /** Changes the keys given; null removes one. */
  update(metadata: Record<string, string | null>, { signal }: Signal = {}): Promise<UpdatedSession> {
    return this.#http.json("PATCH", pathOf(this.id), { body: { metadata }, signal });
  }

  /** Uploads files for inputs of the type `file`, and for results of tools. */
  upload(files: readonly FileToUpload[], options: UploadOptions = {}): Promise<FileReference[]> {
    return uploadFiles(this.#http, "/api/files/upload-urls", { sessionId: this.id }, files, options);
  }

  #turn(routes: Partial<TurnRoutes>, options: TurnOptions & Lasting, place: Partial<TurnPlace> = {}): Turn {
    const all = { ...sessionRoutes(this.#http, () => this.id, options), ...routes };
    return new Turn(this.#http, all, options, { ...place, sessionId: this.id });
  }
}

function pathOf(sessionId: string): string {
  return `/api/agent-sessions/${encodeURIComponent(sessionId)}`;
}

/** The requests after the first one of a turn. `id`: returns that of the session, which the turn itself may create. */
export function sessionRoutes(
  http: Http,
  id: () => string,
  { signal, onDisconnect = "continue", usage, maxUsd }: TurnOptions & Lasting,
): TurnRoutes {
  return {
    resume: (executionId, after) => {
      const path = `${pathOf(id())}/executions/${encodeURIComponent(executionId)}/events`;
      return http.stream("GET", path, { query: { after }, signal });
    },
    continue: (executionId, toolResults) => {
      const body = { executionId, toolResults, onDisconnect, usage, maxUsd };
      return http.stream("POST", `${pathOf(id())}/trigger`, { body, signal });
    },
    decide: async (approval, onApproval) => {
      const decision = await onApproval(approval);
      if (decision === undefined) return;
      try {
        await new Approvals(http).decide(approval.approvalId, decision, { signal });
      } catch (error) {
        // Another user was faster, or time: the turn continues with that.
        const code = error instanceof MusterError ? error.code : undefined;
        if (code !== "APPROVAL_DECIDED" && code !== "APPROVAL_EXPIRED") throw error;
      }
    },
    cancel: () => http.json("POST", `${pathOf(id())}/cancel`, { isRepeatable: true }),
  };
}
