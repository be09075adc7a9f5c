import { isPlainObject } from "@muster/language/json";
import type { StreamEvent } from "../api/sessions.ts";
import { askUser } from "../approvals/ask-user.ts";
import { UserLines } from "../chat/user-lines.ts";
import type { Api } from "../http/api.ts";
import type { Output } from "../output.ts";
import type { Io } from "../process-io.ts";

interface Setting {
  readonly io: Io;
  readonly out: Output;
  readonly api: Api;
  /** Aborted when the user leaves. */
  readonly leaving: AbortController;
}

/** Asks the user for the decisions that a thread waits for; without a terminal, it shows how to decide. */
export class ThreadDecisions {
  readonly #setting: Setting;
  readonly #lines: UserLines;
  /** Ids of the approvals that the thread waits for. */
  #open: readonly string[] = [];
  /** Events of a thread that continues repeat no question. */
  readonly #asked = new Set<string>();
  #isPrompting = false;
  #questions = 0;

  constructor(setting: Setting) {
    const { io, leaving } = setting;
    this.#setting = setting;
    this.#lines = new UserLines(io, {
      leaving: leaving.signal,
      fire: () => leaving.abort(),
      userContinues: () => undefined,
    });
  }

  get isAsking(): boolean {
    return this.#questions > 0;
  }

  /** Call for each `thread-status`: a thread that no longer waits withdraws the question. */
  statusChanged({ waitingFor }: StreamEvent): void {
    const ids =
      isPlainObject(waitingFor) && Array.isArray(waitingFor.approvalIds) ? waitingFor.approvalIds : [];
    this.#open = ids.map(String);
    if (this.#isPrompting) {
      // Ends the line of the prompt.
      this.#setting.out.note();
      this.#lines.withdraw();
    }
    const unasked = this.#open.filter((id) => !this.#asked.has(id));
    for (const id of unasked) this.#asked.add(id);
    if (unasked.length > 0) void this.#ask(unasked);
  }

  close(): void {
    this.#open = [];
    this.#lines.close();
  }

  async #ask(ids: readonly string[]): Promise<void> {
    const { api, out, leaving } = this.#setting;
    const ask = async (prompt: string) => {
      this.#isPrompting = true;
      const line = await this.#lines.ask(prompt);
      this.#isPrompting = false;
      // Ctrl-C leaves the cursor behind the prompt.
      if (leaving.signal.aborted) out.note();
      return leaving.signal.aborted || !ids.every((id) => this.#open.includes(id)) ? undefined : line;
    };
    if (this.#lines.isTerminal) this.#questions += 1;
    try {
      await askUser({ api, out, ask: this.#lines.isTerminal ? ask : undefined }, ids);
    } catch (error) {
      // The thread is followed all the same; what else fails is reported there.
      out.note(`The call could not be decided: ${error instanceof Error ? error.message : String(error)}`);
    } finally {
      if (this.#lines.isTerminal) this.#questions -= 1;
    }
  }
}
