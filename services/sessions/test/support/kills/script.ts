import assert from "node:assert/strict";
import type { ScriptedPart, ScriptedProvider, ScriptedRequest, ScriptedStep } from "@muster/models/testing";
import type { Talk } from "./talks.ts";

/** The question after each turn. */
export const question = "Well?";

/** A model that is asked the same twice answers the same. Counts its questions. */
export class TalkScript {
  readonly #talk: Talk;
  readonly #killed: Promise<void> | undefined;
  readonly #asked: string[][];

  /** `killed`: the last step stops in its middle until then. */
  constructor(provider: ScriptedProvider, talk: Talk, answer: string, killed?: Promise<void>) {
    this.#talk = talk;
    this.#killed = killed;
    this.#asked = talk.steps.map(() => []);
    provider.answerBy((request) => this.#choose(request, answer));
  }

  /** How often a step was asked for again, and with the same messages each time. */
  get repetitions(): number {
    for (const [first, ...others] of this.#asked) for (const other of others) assert.equal(other, first);
    return this.#asked.reduce((sum, asked) => sum + Math.max(0, asked.length - 1), 0);
  }

  assertAllAsked(): void {
    assert.ok(
      this.#asked.every((asked) => asked.length > 0),
      "A step was never asked for",
    );
  }

  #choose({ body }: ScriptedRequest, answer: string): ScriptedStep | undefined {
    assert.ok(Array.isArray(body.messages));
    const messages: Array<{ role: string; tool_calls?: object[] }> = body.messages;
    const lastUser = messages.findLastIndex(({ role }) => role === "user");
    // With messages of turns that were closed before their answer, if there are any.
    if (JSON.stringify(messages[lastUser]).includes(question)) return { parts: [{ text: answer }] };
    const index = messages.slice(lastUser).filter((message) => message.tool_calls !== undefined).length;
    this.#asked[index]?.push(JSON.stringify(messages));
    const step = this.#talk.steps[index];
    const isLast = index === this.#talk.steps.length - 1;
    return step === undefined || !isLast || this.#killed === undefined ? step : heldUntil(this.#killed, step);
  }
}

/** After the first half of its text. */
function heldUntil(killed: Promise<void>, step: ScriptedStep): ScriptedStep {
  assert.ok("parts" in step);
  const parts = step.parts.flatMap((part): ScriptedPart[] => {
    if (!("text" in part)) return [part];
    const chunks = typeof part.text === "string" ? part.text.split(/(?<= )/) : part.text;
    const half = Math.ceil(chunks.length / 2);
    return [{ text: chunks.slice(0, half) }, { until: killed }, { text: chunks.slice(half) }];
  });
  return { ...step, parts };
}
