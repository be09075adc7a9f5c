import { hash } from "node:crypto";
import { counted } from "@muster/engine";
import type { JsonValue } from "@muster/language";

/** Characters of the values in one entry. */
export const maxValueLength = 16 * 1024;

/** The size that a value may still have. */
interface Room {
  left: number;
  isCut?: boolean;
}

/** A copy of the value without secrets, of about `maxLength` characters of JSON. Costs no more, however large it is. */
export function shorten(value: unknown, maxLength = maxValueLength): JsonValue {
  return copy(value, { left: maxLength });
}

/** The excerpts in one entry of values that the stored conversation has whole. */
export class Excerpts {
  #isCut = false;

  /** See `shorten`. */
  value(value: unknown, maxLength = maxValueLength): JsonValue {
    const room: Room = { left: maxLength };
    const copied = copy(value, room);
    this.#isCut ||= room.isCut === true;
    return copied;
  }

  text(text: string): string {
    this.#isCut ||= text.length > maxValueLength;
    return excerptOf(text);
  }

  /** For the end of the entry, once it has all values: readers recognise an entry that lacks something by it. */
  get mark(): { shortened?: true } {
    return this.#isCut ? { shortened: true } : {};
  }
}

/** Without secrets; the end of a long text is replaced by a note. */
export function shortenText(text: string, maxLength = maxValueLength): string {
  if (text.length <= maxLength) return hideSecrets(text);
  const left = text.length - maxLength;
  // A cut may fall inside a surrogate pair, and half a pair is not valid UTF-8.
  return `${hideSecrets(text.slice(0, maxLength)).toWellFormed()}[… ${counted(left, "character")} omitted …]`;
}

/** Like `shortenText`; names what is longer by its digest, because many texts of a conversation can begin alike. */
export function excerptOf(text: string): string {
  const excerpt = shortenText(text);
  return text.length > maxValueLength ? `${excerpt}[SHA-256 ${hash("sha256", text)}]` : excerpt;
}

/** Like `shorten`, but keeps the end of the list, where the newest messages are, and its leading system messages. */
export function shortenMessages(messages: readonly { role: string }[], maxLength: number): JsonValue[] {
  const room = { left: maxLength };
  const first = messages.findIndex(({ role }) => role !== "system");
  const system = messages.slice(0, Math.max(first, 0)).map((message) => copy(message, room));
  const talk = messages.slice(system.length);
  const kept: JsonValue[] = [];
  for (const message of talk.toReversed()) {
    if (room.left <= 0) break;
    kept.unshift(copy(message, room));
  }
  const omitted = talk.length - kept.length;
  return omitted === 0
    ? [...system, ...kept]
    : [...system, `[… ${counted(omitted, "message")} omitted …]`, ...kept];
}

const maxNameLength = 200;

/** Data for providers, such as encrypted reasoning: large, and of no use to readers. */
const leftOut: ReadonlySet<string> = new Set(["providerOptions", "providerMetadata"]);

function copy(value: unknown, room: Room): JsonValue {
  if (typeof value === "string") return copyText(value, room);
  if (typeof value !== "object" || value === null) {
    room.left -= 4;
    return typeof value === "number" || typeof value === "boolean" ? value : null;
  }
  return Array.isArray(value) ? copyList(value, room) : copyObject(value, room);
}

function copyText(value: string, room: Room): string {
  const maxLength = Math.max(room.left, 64);
  const text = shortenText(value, maxLength);
  room.isCut ||= value.length > maxLength;
  room.left -= text.length + 3;
  return text;
}

function copyList(list: readonly unknown[], room: Room): JsonValue[] {
  const copied: JsonValue[] = [];
  for (const item of list) {
    room.isCut ||= room.left <= 0;
    if (room.left <= 0) return [...copied, `[… ${list.length - copied.length} items omitted …]`];
    copied.push(copy(item, room));
  }
  return copied;
}

function copyObject(object: object, room: Room): Record<string, JsonValue> {
  const copied: Array<[name: string, value: JsonValue]> = [];
  // `in`, not Object.entries: an object with many keys would be copied first.
  for (const name in object) {
    const value: unknown = Reflect.get(object, name);
    if (value === undefined || leftOut.has(name)) continue;
    room.isCut ||= room.left <= 0 || name.length > maxNameLength;
    if (room.left <= 0) {
      copied.push(["…", "[… further fields omitted …]"]);
      break;
    }
    room.left -= name.length + 4;
    copied.push([name.slice(0, maxNameLength), copy(value, room)]);
  }
  return Object.fromEntries(copied);
}

const secret = "[secret]";

// Linear: no nested or overlapping repetition. The platform's own keys, keys of providers, JSON web tokens.
const keys = /\b(?:svc_(?:sk|agt|cmp|log)_|sk-|xai-|AIza|eyJ)[\w.-]{12,}/g;
const bearers = /\b(bearer\s+)[^\s"'\\]{8,}/gi;
// The signature makes a download address valid, without any other credential.
const signatures = /([?&](?:x-amz-[a-z-]+|x-goog-[a-z-]+|signature|sig|token|key)=)[^\s"'&#\\<>]+/gi;

// The beginning of every match of the others: nearly all texts are searched once instead of three times.
const suspicious = /svc_|sk-|xai-|AIza|eyJ|bearer|[?&][a-z-]+=/i;

/** Replaces what looks like a credential. Conversations are otherwise recorded unchanged. */
export function hideSecrets(text: string): string {
  if (text.length < 12 || !suspicious.test(text)) return text;
  return text.replace(keys, secret).replace(bearers, `$1${secret}`).replace(signatures, `$1${secret}`);
}
