import { setTimeout as delay } from "node:timers/promises";
import type { Edge } from "./edge.ts";

/** Far more often than a turn can be interrupted in these tests. */
const maxResumes = 30;

/**
 * Triggers a turn of `words` words and reads it to its end, continuing where its stream was cut. Returns how often that
 * happened. Throws if the turn does not finish with its whole reply.
 */
export async function followTurn(edge: Edge, sessionId: string, words: number): Promise<number> {
  const path = `/api/agent-sessions/${sessionId}`;
  const input = { USER_MESSAGE: "word ".repeat(words) };
  const body = { triggerName: "user-message", input, onDisconnect: "continue" };
  const turn = new Turn();
  await turn.read(await edge.request("POST", `${path}/trigger`, body));
  for (let resumes = 0; ; resumes++) {
    if (turn.finishReason === "stop") {
      if (turn.words < words) throw new Error(`the reply of ${words} words has only ${turn.words}`);
      return resumes;
    }
    if (turn.problem !== undefined) throw new Error(turn.problem);
    if (resumes === maxResumes) throw new Error("the turn was cut again and again");
    await delay(200);
    const events = `${path}/executions/${turn.executionId}/events?after=${turn.last}`;
    await turn.read(await edge.request("GET", events));
  }
}

type Event = Record<string, unknown>;

/** What has been read of a turn. */
class Turn {
  executionId = "";
  /** The number of the last event that was read. */
  last = 0;
  words = 0;
  finishReason: unknown;
  /** Why it cannot be continued. */
  problem: string | undefined;

  /** Reads a response until it ends or breaks. */
  async read(response: Response): Promise<void> {
    if (!response.ok) {
      this.problem = `${response.status} ${await response.text()}`;
      return;
    }
    let text = "";
    try {
      for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        text += piece;
        const frames = text.split("\n\n");
        text = frames.pop() ?? "";
        for (const frame of frames) this.#add(frame);
      }
    } catch (error) {
      // A broken connection: the rest is read elsewhere.
      if (this.executionId === "") throw error;
    }
  }

  #add(frame: string): void {
    const data = /^data: (\{.*)$/m.exec(frame)?.[1];
    if (data === undefined) return;
    const event: Event = JSON.parse(data);
    const isNotOfTheTurn = event.interrupted === true || event.lastSequence !== undefined;
    if (isNotOfTheTurn) return;
    const id = /^id: (\d+)$/m.exec(frame)?.[1];
    this.last = id === undefined ? this.last + 1 : Number(id);
    if (event.type === "start") this.executionId = String(event.executionId);
    if (event.type === "step-discard") this.words = 0;
    if (event.type === "text-delta") this.words += String(event.delta).match(/word/g)?.length ?? 0;
    if (event.type === "finish") this.finishReason = event.finishReason;
    if (event.type === "error") this.problem = JSON.stringify(event);
  }
}
