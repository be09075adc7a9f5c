import { setTimeout as delay } from "node:timers/promises";
import type { UiMessage } from "@muster/client";
import { EventFold } from "@muster/client/fold";
import type { StreamEvent } from "@muster/wire/events";
import { checkEvent } from "@muster/wire/events/check";
import type { Edge } from "./edge.ts";

/** Far more often than a turn can be interrupted in these tests. */
const maxResumes = 30;

/** How a turn has reached its reader. */
export interface Followed {
  /** How often its stream was cut and the reader had to continue it. */
  resumes: number;
  /** How often another process has continued it. */
  handOvers: number;
}

/**
 * Triggers a turn of `words` words and reads it to its end, continuing where its stream was cut. Throws unless the
 * events, folded together, are the whole reply, and exactly the session's state.
 */
export async function followTurn(edge: Edge, sessionId: string, words: number): Promise<Followed> {
  const path = `/api/agent-sessions/${sessionId}`;
  const input = { USER_MESSAGE: "word ".repeat(words) };
  const body = { triggerName: "user-message", input, onDisconnect: "continue" };
  const turn = new Turn();
  await turn.read(await edge.request("POST", `${path}/trigger`, body));
  let resumes = 0;
  for (; !turn.isOver; resumes++) {
    if (resumes === maxResumes)
      throw new Error(`the turn was cut again and again, last because of ${turn.cut}`);
    await delay(200);
    const events = `${path}/executions/${turn.executionId}/events?after=${turn.last}`;
    await turn.read(await edge.request("GET", events));
  }
  turn.assertWhole(words);
  if (resumes + turn.handOvers > 0) turn.assertStored(await edge.json("GET", path));
  return { resumes, handOvers: turn.handOvers };
}

/** The part of a turn that has been read. */
class Turn {
  executionId = "";
  /** The number of the last event that was read. */
  last = 0;
  handOvers = 0;
  isOver = false;
  /** Why its stream was cut last. */
  cut = "";
  readonly #fold = new EventFold({ now: () => "2026-01-01T00:00:00.000Z" });

  /** Reads a response until it ends or breaks. Throws if the turn has failed. */
  async read(response: Response): Promise<void> {
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    this.cut = "a response without an end";
    let text = "";
    try {
      for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        text += piece;
        const frames = text.split("\n\n");
        text = frames.pop() ?? "";
        for (const frame of frames) this.#take(frame);
      }
    } catch (error) {
      // A broken connection: the rest is read elsewhere.
      if (this.executionId === "" || error instanceof FailedTurn) throw error;
      this.cut = String(error);
    }
  }

  assertWhole(words: number): void {
    const received = textOf(this.#fold.messages()).match(/word/g)?.length ?? 0;
    if (received !== words) throw new Error(`the reply of ${words} words has ${received}`);
  }

  /** The stored texts are those that were received. */
  assertStored({ messages }: Record<string, unknown>): void {
    const stored = Array.isArray(messages) ? textOf(messages) : "";
    const received = textOf(this.#fold.messages());
    if (stored !== received) throw new Error(`the session holds ${stored}, but the reader has ${received}`);
  }

  #take(frame: string): void {
    const data = /^data: (\{.*)$/m.exec(frame)?.[1];
    if (data === undefined) return;
    const event: StreamEvent = JSON.parse(data);
    checkEvent(event);
    this.#fold.take(event);
    if (isAdded(event)) {
      if (event.type === "error") this.cut = event.message;
      return;
    }
    const id = /^id: (\d+)$/m.exec(frame)?.[1];
    this.last = id === undefined ? this.last + 1 : Number(id);
    if (event.type === "start") this.executionId = event.executionId;
    if (event.type === "step-discard") this.handOvers++;
    if (event.type === "error") throw new FailedTurn(data);
    if (event.type !== "finish") return;
    if (event.finishReason !== "stop") throw new FailedTurn(data);
    this.isOver = true;
  }
}

class FailedTurn extends Error {}

/** Not part of the turn: the server ends this response, and the turn continues. */
function isAdded(event: StreamEvent): boolean {
  if ("interrupted" in event && event.interrupted === true) return true;
  return event.type === "error" && event.lastSequence !== undefined;
}

/** The text of the last message. */
function textOf(messages: readonly UiMessage[]): string {
  return (messages.at(-1)?.parts ?? []).map((part) => (part.type === "text" ? part.text : "")).join("");
}
