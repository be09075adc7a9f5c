import { type Http, newIdempotencyKey, type Sent } from "./http.ts";
import type { DeletedRecordings, FollowUpRequest, Thread, ThreadEvent, ThreadState } from "./wire-types.ts";

type Signal = Pick<Sent, "signal">;

export interface WaitOptions extends Signal {
  /** Also until the video of the run is ready, or will not be. Default: false. */
  recording?: boolean | undefined;
  /** Called with each state of the thread, the first one included. */
  onChange?: ((thread: Thread) => void) | undefined;
}

/** The server returns a thread at the latest after this time. */
const waitSeconds = 25;
const working = ["pending", "queued", "running"];
const filming = ["requested", "recording", "processing"];

type Started = Pick<ThreadState, "threadId"> & Partial<ThreadState>;

/** One conversation with a workforce agent. */
export class WorkforceThread {
  /** Its id, once the server has accepted the message, and its status then. */
  readonly started: Promise<Started>;
  readonly #http: Http;
  readonly #agentPath: string;

  constructor(http: Http, agentPath: string, started: Promise<Started>) {
    this.#http = http;
    this.#agentPath = agentPath;
    this.started = started;
    // Every method reports a refusal.
    started.catch(() => undefined);
  }

  async #path(rest = ""): Promise<string> {
    return `${this.#agentPath}/threads/${encodeURIComponent((await this.started).threadId)}${rest}`;
  }

  /** The thread with its messages. */
  async get({ signal }: Signal = {}): Promise<Thread> {
    return this.#http.json("GET", await this.#path(), { signal });
  }

  /** Resolves when the thread is final: `completed`, `failed`, `cancelled` or `blocked`. Approvals and services can take hours. */
  async wait({ recording = false, onChange, signal }: WaitOptions = {}): Promise<Thread> {
    const path = await this.#path();
    let tag = "";
    for (;;) {
      const headers = tag === "" ? {} : { "if-none-match": tag };
      const sent = { query: { wait: waitSeconds }, headers, signal, waitMs: waitSeconds * 1_000 };
      const { reply, headers: answered, status } = await this.#http.reply<Thread>("GET", path, sent);
      if (status === 304) continue;
      tag = answered.get("etag") ?? "";
      onChange?.(reply);
      const isFilming = recording && filming.includes(reply.recording?.status ?? "");
      if (!working.includes(reply.status) && !isFilming) return reply;
    }
  }

  /**
   * Yields the events of all turns to the end of the thread, across lost connections. `after`: the number of the last
   * event that you have.
   */
  async *events({
    after,
    signal,
  }: Signal & { after?: number | undefined } = {}): AsyncGenerator<
    { event: ThreadEvent; id: number },
    void,
    undefined
  > {
    const path = await this.#path("/events");
    const reopen = (last: number) =>
      this.#http.stream("GET", path, { query: { after: last || undefined }, signal });
    yield* this.#http.follow<ThreadEvent>(reopen, { after, signal });
  }

  /** Sends another message of the conversation. */
  async followUp(
    body: FollowUpRequest,
    { signal, idempotencyKey = newIdempotencyKey() }: Signal & { idempotencyKey?: string | undefined } = {},
  ): Promise<ThreadState> {
    const sent = { body, signal, headers: { "idempotency-key": idempotencyKey }, isRepeatable: true };
    return this.#http.json("POST", await this.#path("/messages"), sent);
  }

  /** Cancels the run, and drops the messages that wait in the thread. */
  async cancel({ signal }: Signal = {}): Promise<ThreadState> {
    return this.#http.json("POST", await this.#path("/cancel"), { signal, isRepeatable: true });
  }

  /** Withdraws a thread that waits in the queue; every other one stays unchanged. */
  async withdraw({ signal }: Signal = {}): Promise<ThreadState> {
    return this.#http.json("DELETE", await this.#path(), { signal });
  }

  /** Deletes the videos of its runs. */
  async deleteRecordings({ signal }: Signal = {}): Promise<DeletedRecordings> {
    return this.#http.json("DELETE", await this.#path("/recording"), { signal });
  }
}

/** The last text of the agent in a thread; empty if it has written none. */
export function answerOf({ messages }: Pick<Thread, "messages">): string {
  const parts = messages.findLast(({ role }) => role === "assistant")?.parts ?? [];
  const text = parts.findLast((part) => part.type === "text");
  return text?.type === "text" ? text.text : "";
}
