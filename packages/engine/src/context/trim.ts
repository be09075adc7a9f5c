import type { StoredMessage, StoredPart } from "../conversation/conversation.ts";
import { asidePrefix } from "../conversation/messages.ts";
import { type Reading, tokensOfParts, tokensPerMessage } from "./estimate.ts";
import { type Sized, sumOf } from "./view.ts";

/** The part that a model reads of messages that are too many for it. */
export interface Trimmed {
  messages: StoredMessage[];
  /** Estimated. */
  tokens: number;
  /** How many messages are left out, wholly or in part. */
  omitted: number;
  /** Tool results are shorter than the thread's setting. Absent: they are not. */
  maxToolOutputTokens?: number;
}

/** A message, or one step of it: a tool call and its result are always in the same one. */
interface Unit {
  message: StoredMessage;
  /** The parts of the step. */
  parts: StoredPart[];
  tokens: number;
}

/** System messages take at most this share of the room. */
const systemShare = 0.25;

/**
 * The newest messages for which there is room, in estimated tokens: always the request of the current turn and its last step,
 * instructions as far as possible, and then as many of the newest steps and messages as fit. If even the last step is too large,
 * its tool results are cut.
 */
export function trim(sized: readonly Sized[], room: number, reading: Reading): Trimmed {
  const units = sized.flatMap(({ message, tokens }) => unitsOf(message, tokens, reading));
  const request = requestIn(units);
  const withInstructions = request.union(instructionsIn(units, room));
  if (sumOf([...request]) > room) return shrunk(units, request, room, reading);
  const kept = sumOf([...withInstructions]) > room ? request : withInstructions;
  let left = room - sumOf([...kept]);
  for (const unit of units.toReversed()) {
    if (kept.has(unit)) continue;
    left -= unit.tokens;
    if (left < 0) break;
    kept.add(unit);
  }
  return assembled(units, kept, reading);
}

function unitsOf(message: StoredMessage, tokens: number, reading: Reading): Unit[] {
  const { parts } = message;
  if (!parts.some(({ type }) => type === "step-start"))
    return parts.length === 0 ? [] : [{ message, parts, tokens }];
  const steps: StoredPart[][] = [[]];
  for (const part of parts) {
    if (part.type === "step-start") steps.push([]);
    else steps.at(-1)?.push(part);
  }
  return steps
    .filter(({ length }) => length > 0)
    .map((step) => ({ message, parts: step, tokens: tokensPerMessage + tokensOfParts(step, reading) }));
}

/** The user's messages of the current turn, and its last step. */
function requestIn(units: readonly Unit[]): Set<Unit> {
  const current = units.findLast(({ message }) => message.role === "user")?.message;
  const asked = units.filter(({ message }) => message.role === "user" && isOfTurn(message, current));
  return new Set([...asked, ...units.slice(-1)]);
}

/** The newest system messages for which there is room. */
function instructionsIn(units: readonly Unit[], room: number): Set<Unit> {
  const kept = new Set<Unit>();
  let left = room * systemShare;
  for (const unit of units.toReversed()) {
    if (unit.message.role !== "system" || unit.tokens > left) continue;
    left -= unit.tokens;
    kept.add(unit);
  }
  return kept;
}

function isOfTurn(message: StoredMessage, current: StoredMessage | undefined): boolean {
  if (message === current || message.thread.startsWith(asidePrefix)) return true;
  return message.executionId !== undefined && message.executionId === current?.executionId;
}

/** Halves the length of the results until the rest fits. Texts are never cut. */
function shrunk(
  units: readonly Unit[],
  kept: ReadonlySet<Unit>,
  room: number,
  { maxToolOutputTokens, references = {} }: Reading,
): Trimmed {
  const parts = [...kept].map((unit) => unit.parts);
  const sizeAt = (bound: number) =>
    parts.reduce(
      (sum, list) => sum + tokensPerMessage + tokensOfParts(list, { maxToolOutputTokens: bound, references }),
      0,
    );
  let bound = Math.max(1, Math.floor(Math.min(maxToolOutputTokens ?? room, room)));
  while (bound > 1 && sizeAt(bound) > room) bound = Math.floor(bound / 2);
  const hasResults = parts.flat().some(({ type }) => type === "tool-call");
  if (!hasResults) return assembled(units, kept, { maxToolOutputTokens, references });
  return {
    ...assembled(units, kept, { maxToolOutputTokens: bound, references }),
    maxToolOutputTokens: bound,
  };
}

/** The kept units as messages again. */
function assembled(units: readonly Unit[], kept: ReadonlySet<Unit>, reading: Reading): Trimmed {
  const stepsOf = Map.groupBy(units, ({ message }) => message);
  const messages: StoredMessage[] = [];
  let [tokens, omitted] = [0, 0];
  for (const [message, all] of stepsOf) {
    const steps = all.filter((unit) => kept.has(unit));
    if (steps.length < all.length) omitted += 1;
    if (steps.length === 0) continue;
    const whole = steps.length === all.length;
    const parts = whole ? message.parts : joined(steps);
    messages.push(whole ? message : { ...message, parts });
    tokens += tokensPerMessage + tokensOfParts(parts, reading);
  }
  return { messages, tokens, omitted };
}

function joined(steps: readonly Unit[]): StoredPart[] {
  return steps.flatMap(({ parts }, index): StoredPart[] =>
    index === 0 ? parts : [{ type: "step-start" }, ...parts],
  );
}
