import assert from "node:assert/strict";
import { randomFrom } from "./random.ts";
import { type Talk, talks } from "./talks.ts";

/** The events that befall one turn. */
export interface Plan {
  talk: Talk;
  /** The process is killed after so many events of the turn. */
  events: number;
  /** And so much later. */
  jitterMs: number;
  /** The model waits for the kill: the turn cannot have ended before. */
  isHeld: boolean;
  /** Absent: no process does; the next trigger closes the turn. */
  resume?: Resume;
}

/** How the reader continues the turn. */
export interface Resume {
  /** `start`: it has forgotten what it had seen. */
  from: "cursor" | "start";
  /** The instance that it asks. */
  on: "restarted" | "second";
  /** The process that adopted the turn is killed too, after so many events. */
  killAfter?: number;
}

/** Every third turn is not continued, and every third is killed twice, whatever the seed. */
export function planOf(seed: number, kill: number): Plan {
  const random = randomFrom(seed * 1_000 + kill);
  const upTo = (count: number) => Math.floor(random() * count);
  const talk = talks[upTo(talks.length)];
  assert.ok(talk);
  const events = upTo(talk.maxEvents);
  const jitterMs = random() * 5;
  const isHeld = kill % 2 === 1;
  if (kill % 3 === 0) return { talk, events, jitterMs, isHeld };
  const from = random() < 0.7 ? "cursor" : "start";
  if (kill % 3 === 1) {
    return { talk, events, jitterMs, isHeld, resume: { from, on: random() < 0.5 ? "restarted" : "second" } };
  }
  return { talk, events, jitterMs, isHeld, resume: { from, on: "restarted", killAfter: 1 + upTo(20) } };
}

export function titleOf({ talk, events, isHeld, resume }: Plan): string {
  const kill = isHeld ? `in the middle of ${talk.name}` : `after ${events} events of ${talk.name}`;
  if (resume === undefined) return `${kill}, then another trigger`;
  const again = resume.killAfter === undefined ? "" : `, killed again after ${resume.killAfter}`;
  return `${kill}, continued from the ${resume.from} on the ${resume.on} instance${again}`;
}
