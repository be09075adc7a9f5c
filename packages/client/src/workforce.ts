import { type Http, newIdempotencyKey, type Sent } from "./http.ts";
import { type FileToUpload, type UploadOptions, uploadFiles } from "./upload-files.ts";
import type {
  FileReference,
  StartThreadRequest,
  ThreadList,
  ThreadState,
  WorkforceAgent,
} from "./wire-types.ts";
import { WorkforceThread } from "./workforce-thread.ts";

export interface DispatchOptions extends Pick<Sent, "signal"> {
  /** The same key in another process is the same dispatch. Default: a random one, for the repetitions of this request. */
  idempotencyKey?: string | undefined;
}

/** Work for agents with a computer: with a key of the agent, or with one that manages the project's agents. */
export class Workforce {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  #pathOf(agentId: string): string {
    const root = this.#http.isKeyOfAgent ? "/api/v1" : "/api/admin";
    return `${root}/workforce/agents/${encodeURIComponent(agentId)}`;
  }

  /** The agent and its current status. */
  get(agentId: string, { signal }: Pick<Sent, "signal"> = {}): Promise<WorkforceAgent> {
    return this.#http.json("GET", this.#pathOf(agentId), { signal });
  }

  /** A page of threads, the newest first. */
  threads(
    agentId: string,
    {
      signal,
      ...query
    }: Pick<Sent, "signal"> & { limit?: number | undefined; cursor?: string | undefined } = {},
  ): Promise<ThreadList> {
    return this.#http.json("GET", `${this.#pathOf(agentId)}/threads`, { query, signal });
  }

  /** An existing thread, without a request. */
  open(agentId: string, threadId: string): WorkforceThread {
    return new WorkforceThread(this.#http, this.#pathOf(agentId), Promise.resolve({ threadId }));
  }

  /** Sends a message as a new thread, at once. Every method of the thread waits until it exists, and rejects if it was refused. */
  dispatch(agentId: string, body: StartThreadRequest, options: DispatchOptions = {}): WorkforceThread {
    const { idempotencyKey = newIdempotencyKey(), signal } = options;
    const sent = { body, signal, headers: { "idempotency-key": idempotencyKey }, isRepeatable: true };
    const started = this.#http.json<ThreadState>("POST", `${this.#pathOf(agentId)}/threads`, sent);
    return new WorkforceThread(this.#http, this.#pathOf(agentId), started);
  }

  /** Uploads files for messages to the agent. */
  upload(
    agentId: string,
    files: readonly FileToUpload[],
    options: UploadOptions = {},
  ): Promise<FileReference[]> {
    return uploadFiles(this.#http, `${this.#pathOf(agentId)}/files`, {}, files, options);
  }
}
