import type { StoredMessage, StoredPart } from "../conversation/conversation.ts";
import { asidePrefix, isModelOutput } from "../conversation/messages.ts";
import { settleMessage } from "../conversation/settle.ts";
import type { Readership } from "./output.ts";
import { messagesOfTurn, type Turn } from "./turn.ts";

/** In characters of JSON. */
const defaultSealLength = 16 * 1024;

/**
 * Ends stored messages of a running turn between two steps, so that they can be archived: otherwise a long turn would
 * store all of its steps again with each of the next ones. The next step, whose readers are given, continues its message
 * if that is still short, otherwise in another one; users see one (`partOf`).
 */
export function sealOutput(turn: Turn, next: Readership): void {
  const own = messagesOfTurn(turn);
  const last = own.at(-1);
  const { sealLength = defaultSealLength } = turn.environment;
  for (const message of own) {
    if (message.status !== "streaming" || !isSealable(message)) continue;
    // The messages that users see must end with an open one.
    if (message.audience === "everyone" && next.audience !== "everyone") continue;
    const isContinued = message === last && isFor(message, next);
    if (!isContinued || isLong(message.parts, sealLength)) settleMessage(message);
  }
}

function isFor(message: StoredMessage, { audience, thread }: Readership): boolean {
  return message.audience === audience && message.thread === thread;
}

/**
 * Without output of the model, it may still move behind an added message. After a step without output, the end of the
 * turn removes the separator.
 */
function isSealable({ role, thread, parts }: StoredMessage): boolean {
  if (role !== "assistant" || thread.startsWith(asidePrefix)) return false;
  if (parts.at(-1)?.type === "step-start") return false;
  return parts.some(isModelOutput) && !parts.some(isOpen);
}

function isOpen(part: StoredPart): boolean {
  if (!("status" in part) || part.type === "todo") return false;
  return part.status === "streaming" || part.status === "pending" || part.status === "running";
}

/** Whether the JSON of the value has at least this many characters. Takes no longer the larger it is. */
function isLong(value: unknown, length: number): boolean {
  return leftOf(length, value) <= 0 || JSON.stringify(value).length >= length;
}

/** The length less the characters that the JSON of the value has at least; stops when nothing is left. */
function leftOf(length: number, value: unknown): number {
  if (typeof value === "string") return length - value.length - 2;
  if (typeof value !== "object" || value === null) return length - 1;
  let left = length - 2;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && left > 0; index++) left = leftOf(left, value[index]);
    return left;
  }
  for (const key in value) {
    const member: unknown = Reflect.get(value, key);
    if (member !== undefined) left = leftOf(left - key.length, member);
    if (left <= 0) break;
  }
  return left;
}
