import {
  type Conversation,
  type Frame,
  frameFrom,
  type Memory,
  type StoredMessage,
  type StoredPart,
} from "@muster/engine";
import type { JsonValue } from "@muster/language";
import { isLarge, parseInSlices } from "@muster/large-data";
import type { Containing, SessionDocument, StoredExecution } from "./session-document.ts";

/**
 * The JSON of large lists and objects that callers sent, which never change: a turn stores them several times, and one
 * pass takes up to 60 ms.
 */
const texts = new WeakMap<object, string>();

/** `text`: the JSON from which the value was parsed. Only that of a large value is kept, for as long as the value is. */
export function keepText(value: unknown, text: string): void {
  if (typeof value === "object" && value !== null && isLarge(text)) texts.set(value, text);
}

/** The JSON of a large value that a caller sent. Undefined for all others. */
export function keptText(value: unknown): string | undefined {
  return typeof value === "object" && value !== null ? texts.get(value) : undefined;
}

/** The same for another object, which must have exactly these members. */
export function keepTextOf(value: object, sent: object): void {
  const text = keptText(sent);
  if (text === undefined || Object.keys(sent).length !== Object.keys(value).length) return;
  if (Object.entries(value).every(([name, member]) => Reflect.get(sent, name) === member))
    texts.set(value, text);
}

export function frameText(frame: Frame): string {
  return withKeptText(frame, "triggerInput");
}

export function messagesText(messages: readonly StoredMessage[]): string {
  return messages.some(hasKept) ? `[${messages.map(messageText).join(",")}]` : JSON.stringify(messages);
}

export function messageText(message: StoredMessage): string {
  if (!hasKept(message)) return JSON.stringify(message);
  return withText(message, "parts", `[${message.parts.map(partText).join(",")}]`);
}

/** The JSON of the object, of which this field can be a value whose text is kept. */
export function withKeptText<T extends object>(object: T, field: keyof T & string): string {
  const text = keptText(object[field]);
  return text === undefined ? JSON.stringify(object) : withText(object, field, text);
}

function hasKept({ parts }: StoredMessage): boolean {
  return parts.some((part) => part.type === "tool-call" && keptText(part.result) !== undefined);
}

function partText(part: StoredPart): string {
  return part.type === "tool-call" ? withKeptText(part, "result") : JSON.stringify(part);
}

/** The JSON of an object with another field. */
function withText(object: object, field: string, text: string): string {
  return `${JSON.stringify({ ...object, [field]: undefined }).slice(0, -1)},"${field}":${text}}`;
}

/* Large states are parsed in slices, so that they do not block the main loop. */

/** A conversation without its archived messages: complete if nothing is archived. */
export async function loadConversation({ tail, memory, conversation }: Containing): Promise<Conversation> {
  if (conversation) return load<Conversation>(conversation);
  const messages = await loadMessages(tail ?? "[]");
  const rest: Memory = memory === null ? { variables: {}, resources: {} } : await load<Memory>(memory);
  return { messages, ...rest };
}

/** From the JSON of a tail or a chunk. */
export async function loadMessages(text: string): Promise<StoredMessage[]> {
  return load<StoredMessage[]>(text);
}

export async function loadInput({
  input,
}: Pick<SessionDocument, "input">): Promise<Record<string, JsonValue>> {
  return input === null ? {} : load<Record<string, JsonValue>>(input);
}

/** Throws on a frame that no engine wrote. */
export async function loadFrame({ frame }: Pick<StoredExecution, "frame">): Promise<Frame> {
  return frameFrom(await load<unknown>(frame));
}

/** Text that this service wrote. */
async function load<T>(text: string): Promise<T> {
  return isLarge(text) ? parseInSlices(text) : JSON.parse(text);
}

/** Only this service writes these texts, and checking 10 MiB of them on every read takes longer than decoding them. */
export const trusted = { enableUtf8Validation: false };
