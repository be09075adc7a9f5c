import type { AgentDocument, AgentKey } from "../../store/agent-document.ts";
import { keyOfAgent } from "../../store/agent-document.ts";
import type { ThreadKey } from "../../store/thread-document.ts";
import type { Driver } from "../../store/thread-moves.ts";

/** Why a run stops before its end. */
export type StopCause =
  /** The thread was cancelled, or is gone: the run has to end. */
  | "cancelled"
  /** Another process has the slot: this one may write nothing more. */
  | "lost"
  /** This process stops: another one continues the run. */
  | "draining";

/** Thrown by the steps of a run that has to stop. */
export class RunStopped extends Error {
  readonly stop: StopCause;

  constructor(stop: StopCause) {
    super(`The run stops: ${stop}`);
    this.name = "RunStopped";
    this.stop = stop;
  }
}

/** A run that this process drives: it owns the agent's slot under this epoch. */
export class ActiveRun {
  readonly agent: AgentDocument;
  readonly agentKey: AgentKey;
  readonly threadKey: ThreadKey;
  readonly driver: Driver;
  readonly isTakeOver: boolean;
  readonly #stopping = new AbortController();
  readonly #abandoning = new AbortController();
  #cause: StopCause | undefined;
  /** The thread belongs to the run: from its assignment to its final status. */
  ownsThread = false;

  /** `agent`: as the claim, or the take-over, left it. */
  constructor(agent: AgentDocument, isTakeOver: boolean) {
    if (agent.current === null) throw new Error(`The agent ${agent._id} has no run`);
    const { threadId, runId } = agent.current;
    this.agent = agent;
    this.agentKey = keyOfAgent(agent);
    this.threadKey = { ...this.agentKey, threadId };
    this.driver = { runId, epoch: agent.epoch };
    this.isTakeOver = isTakeOver;
  }

  get cause(): StopCause | undefined {
    return this.#cause;
  }

  /** Aborted when the run has to stop, whatever the cause. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Aborted when nothing of the run may be waited for. */
  get abandoning(): AbortSignal {
    return this.#abandoning.signal;
  }

  /** A slot that is lost is lost; apart from that, the first cause counts. */
  stop(cause: StopCause): void {
    if (this.#cause === undefined || cause === "lost") this.#cause = cause;
    this.#stopping.abort(new RunStopped(cause));
    if (cause === "lost") this.#abandoning.abort(new RunStopped(cause));
  }

  /** Calls that have not ended by now are not waited for. */
  abandon(): void {
    this.#abandoning.abort(new RunStopped(this.#cause ?? "draining"));
  }

  /** Throws if the run has to stop. */
  check(): void {
    if (this.#cause !== undefined) throw new RunStopped(this.#cause);
  }
}
