import { ArgumentError } from "@muster/computers/tools";
import type { JsonValue } from "@muster/language/json";
import { parseJson } from "@muster/language/json";
import { FileError } from "../files/file-error.ts";
import type { Journal } from "../state/journal.ts";
import { type CallId, keyOf } from "../state/journal-line.ts";
import { type Outcome, unknownOutcome } from "../state/outcome.ts";
import type { Execution } from "./execution.ts";
import { killLeftGroup } from "./process-group.ts";

/** A call of the platform. */
export interface Call {
  id: CallId;
  name: string;
  /** JSON. */
  args: string;
  epoch: bigint;
  agentName: string;
}

export type OutputPiece = { id: CallId; stream: "stdout" | "stderr"; text: string; atMs: number };

/** The newest connection. */
export interface CallsLink {
  outcome(id: CallId, outcome: Outcome | { staleEpoch: bigint }): Promise<void>;
  /** May drop it. */
  output(piece: OutputPiece): void;
}

export interface CallsOptions {
  journal: Journal;
  /** Executes a call. Sentences for the model are thrown as {@link ArgumentError} or {@link FileError}. */
  execute(call: Call & { json: JsonValue }, execution: Execution): Promise<Outcome>;
  note(call: Call, action: string): void;
  approve(call: Call, action: string, text: string, signal: AbortSignal): Promise<boolean>;
  /** A problem of this computer for its user. */
  warn(problem: string): void;
}

/** A step of a model has at most 150, and agents of one computer take turns. More would only fill the memory. */
const maxWaiting = 200;
const maxIdLength = 256;
/** The platform shows no more while a command runs. */
const maxShownBytes = 256 * 1024;
const maxPieceLength = 32 * 1024;
const maxResultBytes = 900 * 1024;

/** Executes each call once, one after another, and remembers what became of it. */
export class Calls {
  readonly #options: CallsOptions;
  /** The calls that wait or run. */
  readonly #active = new Map<string, AbortController>();
  #last: Promise<void> = Promise.resolve();
  #link: CallsLink | undefined;
  #isClosed = false;

  constructor(options: CallsOptions) {
    this.#options = options;
  }

  /** Ends what an earlier process has left: its commands are killed, and their outcomes are unknown. */
  async settleLeft(): Promise<void> {
    for (const { id, leader } of this.#options.journal.begun()) {
      if (leader !== undefined) await killLeftGroup(leader);
      this.#end(id, unknownOutcome);
    }
  }

  /** Sends the outcomes that the platform may not have, and from now on all others, to this connection. */
  async attach(link: CallsLink): Promise<void> {
    this.#link = link;
    for (const id of this.#options.journal.unacknowledged()) {
      if (this.#link !== link) return;
      const outcome = this.#options.journal.find(id)?.outcome;
      if (outcome !== undefined) await link.outcome(id, outcome);
    }
  }

  detach(link: CallsLink): void {
    if (this.#link === link) this.#link = undefined;
  }

  /** Why the agent's files cannot be used. */
  refusalOf(agentId: string, epoch: bigint): string | undefined {
    try {
      const isStale = this.#staleFor(agentId, epoch) !== undefined;
      return isStale ? "A newer run of the agent uses the computer." : undefined;
    } catch (error) {
      return `This computer cannot store its state: ${messageOf(error)}`;
    }
  }

  /** The newer epoch of the agent, if this one is not its latest. Remembers it otherwise. Throws if it cannot be stored. */
  #staleFor(agentId: string, epoch: bigint): bigint | undefined {
    const newest = this.#options.journal.epochOf(agentId);
    if (epoch < newest) return newest;
    if (isId(agentId)) this.#options.journal.raiseEpoch(agentId, epoch);
    return undefined;
  }

  /** Resolves when the next frame may be read: a platform that does not read its responses sends no more. */
  async receive(call: Call): Promise<void> {
    if (!isValid(call) || this.#isClosed) return;
    const answer = this.#answerTo(call);
    if (answer !== undefined) await this.#send(call.id, answer);
    else if (!this.#active.has(keyOf(call.id))) {
      const controller = new AbortController();
      this.#last = this.#last.then(() => this.#carryOut(call, controller.signal));
      this.#active.set(keyOf(call.id), controller);
    }
  }

  /** The response to a call that is not executed now. */
  #answerTo({ id, epoch }: Call): Outcome | { staleEpoch: bigint } | undefined {
    try {
      const staleEpoch = this.#staleFor(id.agentId, epoch);
      if (staleEpoch !== undefined) return { staleEpoch };
    } catch (error) {
      return { error: `This computer cannot store the call, so it is not executed: ${messageOf(error)}` };
    }
    const isFull = this.#active.size >= maxWaiting && !this.#active.has(keyOf(id));
    const full = isFull ? { error: `${maxWaiting} calls are already waiting.` } : undefined;
    return this.#options.journal.find(id)?.outcome ?? full;
  }

  /** Responds with the outcome, when the call has ended if it runs. */
  async abort(id: CallId): Promise<void> {
    const active = this.#active.get(keyOf(id));
    if (active !== undefined) active.abort();
    else await this.#send(id, this.#options.journal.find(id)?.outcome ?? { aborted: true });
  }

  acknowledge(id: CallId): void {
    try {
      this.#options.journal.acknowledge(id);
    } catch {
      // A full disk: it will be sent again, which is harmless.
    }
  }

  /** Kills all calls, and takes no more. Resolves when none is left. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const controller of this.#active.values()) controller.abort();
    await this.#last;
  }

  async #carryOut(call: Call, signal: AbortSignal): Promise<void> {
    const outcome = bounded(await this.#attempt(call, signal));
    const stored = this.#end(call.id, outcome);
    this.#active.delete(keyOf(call.id));
    await this.#send(call.id, stored);
  }

  /** The outcome that is known from now on. */
  #end(id: CallId, outcome: Outcome): Outcome {
    const { journal, warn } = this.#options;
    try {
      journal.end(id, outcome);
      return outcome;
    } catch (error) {
      warn(`The outcome of a call cannot be stored: ${messageOf(error)}`);
      journal.forget(id);
      return unknownOutcome;
    }
  }

  async #attempt(call: Call, signal: AbortSignal): Promise<Outcome> {
    const { journal, execute, note, approve } = this.#options;
    let shownBytes = 0;
    try {
      if (signal.aborted) return { aborted: true };
      const args = parseJson(call.args);
      if (!args.ok) return { error: `The arguments ${args.problem}.` };
      return await execute(
        { ...call, json: args.value },
        {
          note: (action) => note(call, action),
          approve: (action, text) => approve(call, action, text, signal),
          begin(leader) {
            journal.begin(call.id, leader);
          },
          output: ({ stream, text, atMs }) => {
            for (let rest = text; rest !== "" && shownBytes < maxShownBytes; ) {
              const piece = rest.slice(0, maxPieceLength);
              rest = rest.slice(piece.length);
              shownBytes += Buffer.byteLength(piece);
              if (shownBytes <= maxShownBytes) this.#link?.output({ id: call.id, stream, text: piece, atMs });
            }
          },
          signal,
        },
      );
    } catch (error) {
      if (signal.aborted) return { aborted: true };
      if (error instanceof ArgumentError || error instanceof FileError) return { error: error.message };
      return { error: `This computer could not execute the call: ${messageOf(error)}` };
    }
  }

  async #send(id: CallId, outcome: Outcome | { staleEpoch: bigint }): Promise<void> {
    // A connection that ends meanwhile: the next one gets it.
    await this.#link?.outcome(id, outcome).catch(() => {});
  }
}

/** Others are not from a platform that works. They would fill the journal. */
function isValid({ id: { agentId, callId } }: Call): boolean {
  return isId(agentId) && isId(callId);
}

function isId(id: string): boolean {
  return id !== "" && id.length <= maxIdLength && !/\s/.test(id);
}

function bounded(outcome: Outcome): Outcome {
  if ("error" in outcome && outcome.error.length > 10_000)
    return { error: `${outcome.error.slice(0, 10_000)}…` };
  if (!("result" in outcome) || Buffer.byteLength(outcome.result) <= maxResultBytes) return outcome;
  return { error: `The result has more than ${maxResultBytes / 1024} KiB. Ask for less at once.` };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
