import { setTimeout as delay } from "node:timers/promises";
import type { Edge } from "./edge.ts";
import { followTurn } from "./follow-turn.ts";

export interface LoadOptions {
  /** Requests are sent one after another by each of these. */
  callers: Caller[];
  /** How many conversations run at the same time. */
  streams: number;
  /** Words of a turn's reply. */
  words: number;
  agentId: string;
}

/** One request of a caller, which throws if it fails. */
export type Caller = (edge: Edge) => Promise<unknown>;

const pauseMs = 20;

/** Requests and streams without a break, until stopped. */
export class Load {
  requests = 0;
  turns = 0;
  /** How often a stream was cut and its reader continued it. */
  resumed = 0;
  /** How often another process has continued a turn. */
  handOvers = 0;
  readonly failures: string[] = [];
  readonly sessions: string[] = [];
  readonly #edge: Edge;
  readonly #options: LoadOptions;
  #isRunning = true;
  readonly #running: Promise<unknown>;

  constructor(edge: Edge, options: LoadOptions) {
    this.#edge = edge;
    this.#options = options;
    this.#running = Promise.all([
      ...options.callers.map((caller) => this.#call(caller)),
      ...Array.from({ length: options.streams }, () => this.#converse()),
    ]);
  }

  /** Stops after the requests and turns in progress. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    await this.#running;
  }

  async #call(caller: Caller): Promise<void> {
    while (this.#isRunning) {
      await this.#attempt("request", async () => {
        await caller(this.#edge);
        this.requests++;
      });
      await delay(pauseMs);
    }
  }

  async #converse(): Promise<void> {
    const { agentId, words } = this.#options;
    let sessionId: string | undefined;
    while (this.#isRunning) {
      await this.#attempt("turn", async () => {
        sessionId ??= String((await this.#edge.json("POST", "/api/agent-sessions", { agentId })).sessionId);
        if (!this.sessions.includes(sessionId)) this.sessions.push(sessionId);
        const { resumes, handOvers } = await followTurn(this.#edge, sessionId, words);
        this.resumed += resumes;
        this.handOvers += handOvers;
        this.turns++;
      });
      await delay(pauseMs);
    }
  }

  async #attempt(what: string, run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (error) {
      const cause = error instanceof Error && error.cause !== undefined ? ` (${error.cause})` : "";
      this.failures.push(`${what} at ${new Date().toISOString()}: ${error}${cause}`);
      await delay(500);
    }
  }
}
