import {
  type DecideApprovalRequest,
  type FollowUpRequest,
  type Muster,
  MusterError,
  type RequestedApproval,
  type Thread,
  type UiMessage,
  type WorkforceThread,
} from "@muster/client";
import { Conversation } from "./conversation.ts";
import { type Frame, Store } from "./store.ts";

export interface ThreadState {
  /** That of the thread; `loading` until it has been read. */
  status: Thread["status"];
  messages: readonly UiMessage[];
  /** Decisions that the thread waits for. */
  approvals: readonly RequestedApproval[];
  /** The output of commands on the agent's computer, by the id of the call. Only while its events are kept. */
  outputs: Readonly<Record<string, string>>;
  /** The video of the latest run; its `url` is the link once it is `ready`. */
  recording: Thread["recording"];
  /** Everything else, as of the last change of the status. */
  thread: Thread | undefined;
  error: Error | undefined;
}

/** A thread of a workforce agent, for any framework. */
export class ThreadStore extends Store<ThreadState> {
  readonly #muster: Muster;
  readonly #thread: WorkforceThread;
  #conversation = new Conversation([]);
  #reading: AbortController | undefined;

  constructor(muster: Muster, agentId: string, threadId: string, { frame }: { frame?: Frame } = {}) {
    const nothing = { messages: [], approvals: [], outputs: {}, recording: null };
    super({ status: "loading", ...nothing, thread: undefined, error: undefined }, frame);
    this.#muster = muster;
    this.#thread = muster.workforce.open(agentId, threadId);
  }

  protected connect(): void {
    void this.reload();
  }

  protected disconnect(): void {
    this.#reading?.abort();
  }

  /** Reads the thread and follows it until it and its recording are final. */
  readonly reload = async (): Promise<void> => {
    this.#reading?.abort();
    const reading = new AbortController();
    this.#reading = reading;
    this.set({ error: undefined });
    try {
      await this.#follow(reading.signal);
    } catch (error) {
      if (reading.signal.aborted) return;
      this.set({ error: error instanceof Error ? error : new Error(String(error)) });
    }
    if (this.#reading === reading) this.#reading = undefined;
  };

  /** Sends another message of the conversation. */
  readonly followUp = async (body: FollowUpRequest): Promise<void> => {
    await this.#thread.followUp(body);
    if (this.#reading === undefined) await this.reload();
  };

  /** Cancels the run, and drops the messages that wait. */
  readonly cancel = async (): Promise<void> => {
    await this.#thread.cancel();
  };

  readonly decide = async (approvalId: string, decision: DecideApprovalRequest): Promise<void> => {
    await this.#muster.approvals.decide(approvalId, decision);
    const { approvals } = this.getSnapshot();
    this.set({ approvals: approvals.filter((each) => each.approvalId !== approvalId) });
  };

  async #follow(signal: AbortSignal): Promise<void> {
    const { messages } = await this.#refresh(signal);
    this.#conversation = new Conversation(messages);
    this.set({ messages: this.#conversation.messages });
    try {
      await this.#take(messages, signal);
    } catch (error) {
      // The thread was final long ago.
      if (!(error instanceof MusterError) || error.code !== "EVENTS_GONE") throw error;
    }
    const { messages: last } = await this.#refresh(signal);
    this.#conversation = new Conversation(last);
    this.set({ messages: this.#conversation.messages, approvals: [] });
  }

  async #take(messages: readonly UiMessage[], signal: AbortSignal): Promise<void> {
    let isFirst = true;
    // All turns are read again, with their output.
    const outputs: Record<string, string> = {};
    for await (const { event } of this.#thread.events({ signal })) {
      if (signal.aborted) return;
      if (event.type === "thread-status") await this.#refresh(signal);
      else if (event.type === "computer-output")
        outputs[event.toolCallId] = (outputs[event.toolCallId] ?? "") + event.text;
      else {
        // The turn is read from its beginning.
        if (isFirst && event.type === "start") {
          const at = messages.findIndex(({ id }) => id === event.messageId);
          this.#conversation = new Conversation(at < 0 ? messages : messages.slice(0, at));
          isFirst = false;
        }
        this.#conversation.take(event);
      }
      const { approvals } = this.#conversation;
      this.setInFrame(() => ({
        approvals,
        messages: this.#conversation.messages,
        outputs: { ...outputs },
      }));
    }
  }

  async #refresh(signal: AbortSignal): Promise<Thread> {
    const thread = await this.#thread.get({ signal });
    this.set({ thread, status: thread.status, recording: thread.recording });
    return thread;
  }
}
