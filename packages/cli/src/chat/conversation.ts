import {
  cancelTurn,
  getSession,
  type StreamEvent,
  type Trigger,
  trigger,
  turnEvents,
} from "../api/sessions.ts";
import { askUser } from "../approvals/ask-user.ts";
import { CliError, type ExitCode, exitCodes } from "../exit.ts";
import type { Api } from "../http/api.ts";
import type { NumberedEvent } from "../http/read-events.ts";
import type { Output } from "../output.ts";
import type { Io } from "../process-io.ts";
import { failureDocument, showFailure } from "../show-failure.ts";
import type { ToolAnswers } from "../tools/tool-answers.ts";
import { Interrupts } from "../turn/interrupts.ts";
import { Printer } from "../turn/printer.ts";
import { runTurn, type Turn, type TurnRequests } from "../turn/run-turn.ts";
import type { Target } from "./choose-trigger.ts";
import { UserLines } from "./user-lines.ts";

interface Setting {
  readonly io: Io;
  readonly out: Output;
  readonly api: Api;
  readonly sessionId: string;
  readonly target: Target;
  readonly tools: ToolAnswers;
  /** Shows variables and resources after each turn. */
  readonly showsVariables: boolean;
}

/** A turn of a chat, for `--json`. */
interface ChatTurn extends Pick<Turn, "text" | "toolCalls" | "approvals" | "finishReason" | "error"> {
  /** Null if the trigger accepts none. */
  readonly message: string | null;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly resources?: Readonly<Record<string, unknown>>;
}

/** Sends messages in one session until there are no more, the user leaves, or a request fails. */
export class Conversation {
  readonly #setting: Setting;
  readonly #interrupts: Interrupts;
  readonly #printer: Printer;
  readonly #lines: UserLines;
  readonly #turns: ChatTurn[] = [];
  #failure: CliError | undefined;
  /** A request that arrives late would cancel the next turn. */
  #cancelling: Promise<void> = Promise.resolve();

  constructor(setting: Setting) {
    this.#setting = setting;
    this.#printer = new Printer(setting.out, { textIsResult: true });
    this.#interrupts = new Interrupts((text) => this.#printer.note(text));
    this.#lines = new UserLines(setting.io, this.#interrupts);
    if (this.#lines.isTerminal)
      setting.tools.askUser((question) => {
        setting.out.note(question);
        return this.#lines.ask("result> ");
      });
  }

  /** Sends the one `message`. Without it, messages are read from the input, unless the trigger accepts none. */
  async hold(message: string | undefined): Promise<void> {
    const { io, out, target } = this.#setting;
    const stopListening = io.onInterrupt(() => this.#interrupts.fire());
    try {
      const isSingle = message !== undefined || target.messageInput === undefined;
      const messages = isSingle ? [message] : this.#lines.messages();
      for await (const text of messages) {
        const canContinue = await this.#say(text);
        // A reply costs money, so do not request one that will not be read.
        if (!canContinue || this.#interrupts.leaving.aborted || out.isClosed) return;
      }
    } finally {
      this.#lines.close();
      stopListening();
    }
  }

  /** The turns for `--json`, with the failure that ended the conversation. */
  document(): Record<string, unknown> {
    return { turns: this.#turns, ...(this.#failure === undefined ? {} : failureDocument(this.#failure)) };
  }

  exitCode(): ExitCode {
    if (this.#interrupts.leaving.aborted) return exitCodes.interrupted;
    if (this.#failure !== undefined) return this.#failure.exitCode;
    return this.#turns.some(({ error }) => error !== null) ? exitCodes.failure : exitCodes.fine;
  }

  /** Sends one message. Returns false if the conversation cannot continue. */
  async #say(message: string | undefined): Promise<boolean> {
    const { io, out, target, tools } = this.#setting;
    await this.#cancelling;
    const cancelled = new AbortController();
    const turnEnds = this.#interrupts.turnBegins(() => {
      cancelled.abort();
      this.#cancel();
    });
    this.#failure = undefined;
    try {
      const { triggerName, messageInput, input } = target;
      const said = messageInput === undefined || message === undefined ? {} : { [messageInput]: message };
      const requests = this.#requests({ triggerName, input: { ...input, ...said } }, cancelled.signal);
      const following = { tools, printer: this.#printer, signal: this.#interrupts.leaving };
      const { text, toolCalls, approvals, finishReason, error } = await runTurn(requests, following);
      const values = await this.#showVariables();
      const waits = approvals === undefined ? {} : { approvals };
      this.#turns.push({
        message: message ?? null,
        text,
        toolCalls,
        ...waits,
        finishReason,
        error,
        ...values,
      });
      return true;
    } catch (error) {
      this.#printer.end();
      if (this.#interrupts.leaving.aborted) return false;
      if (!(error instanceof CliError)) throw error;
      this.#failure = error;
      showFailure(error, out);
      // A user at a terminal can react. The next line of a file may depend on the reply to this one.
      return io.stdin.isTTY === true;
    } finally {
      turnEnds();
    }
  }

  #requests(first: Trigger, cancelled: AbortSignal): TurnRequests {
    const { api, sessionId } = this.#setting;
    const { triggerName } = first;
    let last = 0;
    async function* counted(events: AsyncIterable<NumberedEvent>, after = 0): AsyncGenerator<StreamEvent> {
      last = after;
      for await (const { event, number } of events) {
        last = number ?? last + 1;
        yield event;
      }
    }
    return {
      start: (signal) => counted(trigger(api, sessionId, first, signal)),
      // A turn that waits for tools ends by not being continued: the next message abandons its calls.
      resume: (executionId, toolResults, signal) =>
        cancelled.aborted
          ? []
          : counted(trigger(api, sessionId, { triggerName, executionId, toolResults }, signal)),
      decide: async (executionId, approvalIds, signal) => {
        const isDecided = await this.#decide(approvalIds, cancelled);
        if (!isDecided) return undefined;
        return counted(turnEvents(api, { sessionId, executionId, after: last }, signal), last);
      },
    };
  }

  /** Returns false if the turn still waits: the next message closes its approvals. */
  async #decide(approvalIds: readonly string[], cancelled: AbortSignal): Promise<boolean> {
    const { api, out } = this.#setting;
    const isWithdrawn = () => cancelled.aborted || this.#interrupts.leaving.aborted;
    const ask = async (prompt: string) => {
      const line = await this.#lines.ask(prompt);
      return isWithdrawn() ? undefined : line;
    };
    const isDecided = await askUser({ api, out, ask: this.#lines.isTerminal ? ask : undefined }, approvalIds);
    if (!isDecided && !isWithdrawn())
      this.#printer.note("[the turn waits; the next message of the session cancels the call]");
    return isDecided;
  }

  async #showVariables(): Promise<Pick<ChatTurn, "variables" | "resources">> {
    const { api, sessionId, showsVariables } = this.#setting;
    if (!showsVariables) return {};
    const { variables, resources } = await getSession(api, sessionId);
    for (const [name, value] of Object.entries({ ...variables, ...resources }))
      this.#printer.value(name, value);
    return { variables, resources };
  }

  /** If cancelling fails, the turn continues, and the next Ctrl-C leaves it. */
  #cancel(): void {
    const { out, api, sessionId } = this.#setting;
    this.#lines.withdraw();
    this.#cancelling = cancelTurn(api, sessionId).catch((error: unknown) => {
      out.note(`Could not cancel the turn: ${error instanceof Error ? error.message : String(error)}`);
    });
  }
}
