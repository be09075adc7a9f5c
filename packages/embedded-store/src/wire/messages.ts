import { Writer, writeDoc } from "../bson/encode.ts";
import { T } from "../bson/types.ts";
import { MalformedBson, validateDocument } from "../bson/validate.ts";
import { Doc, List, type Value } from "../bson/value.ts";

/** MongoDB's limit for one message, 48 MB. */
export const maxMessageBytes = 48_000_000;

const opReply = 1;
const opQuery = 2004;
const opMsg = 2013;

const flagChecksumPresent = 1;
const flagMoreToCome = 2;
const requiredFlags = 0xffff;

/** The parts of a request that its reply depends on. */
export interface Envelope {
  readonly requestId: number;
  /** Drivers use OP_QUERY only for the first hello and expect an OP_REPLY. */
  readonly legacy: boolean;
  /** The client does not expect a reply (write concern 0). */
  readonly silent: boolean;
}

/** Bytes that are not a message of the MongoDB protocol. Their connection is closed. */
export class MalformedMessage extends Error {
  constructor(problem: string) {
    super(`malformed message: ${problem}`);
    this.name = "MalformedMessage";
  }
}

/** Reads the header of a complete message. Throws MalformedMessage. */
export function parseEnvelope(message: Buffer): Envelope {
  const code = message.readInt32LE(12);
  const requestId = message.readInt32LE(4);
  if (code === opQuery) return { requestId, legacy: true, silent: false };
  if (code !== opMsg) throw new MalformedMessage(`operation ${code} is not supported`);
  if (message.length < 26) throw new MalformedMessage("it is truncated");
  const flags = message.readUInt32LE(16);
  if ((flags & requiredFlags & ~(flagChecksumPresent | flagMoreToCome)) !== 0) {
    throw new MalformedMessage(`it has unknown required flags (${flags})`);
  }
  return { requestId, legacy: false, silent: (flags & flagMoreToCome) !== 0 };
}

/**
 * Reads the command in a message. Throws MalformedMessage or MalformedBson for invalid bytes, and
 * StoreError for a command that this server refuses.
 */
export function parseBody(message: Buffer, envelope: Envelope): Doc {
  if (envelope.legacy) return parseOpQuery(message);
  const checksum = message.readUInt32LE(16) & flagChecksumPresent;
  return parseSections(message, message.length - (checksum ? 4 : 0));
}

function parseSections(message: Buffer, end: number): Doc {
  let body: Doc | undefined;
  const sequences: [string, List][] = [];
  let at = 20;
  while (at < end) {
    const kind = message[at];
    if (kind === 0 && !body) {
      const stop = validateDocument(message, at + 1, end);
      body = Doc.fromRaw(message.subarray(at + 1, stop));
      at = stop;
    } else if (kind === 1) {
      const sequence = parseSequence(message, at + 1, end);
      sequences.push([sequence.name, new List(sequence.items)]);
      at = sequence.end;
    } else throw new MalformedMessage(`it has an unexpected section of kind ${kind}`);
  }
  if (!body) throw new MalformedMessage("it does not have a body");
  for (const [name, list] of sequences) {
    if (body.has(name)) throw new MalformedMessage(`'${name}' occurs twice`);
    body.set(name, { type: T.array, value: list });
  }
  return body;
}

function parseSequence(message: Buffer, start: number, limit: number) {
  const length = start + 4 <= limit ? message.readInt32LE(start) : -1;
  const end = start + length;
  const nameEnd = message.indexOf(0, start + 4);
  if (length < 5 || end > limit || nameEnd < 0 || nameEnd >= end) {
    throw new MalformedMessage("a document sequence is truncated");
  }
  const items: Value[] = [];
  let at = nameEnd + 1;
  while (at < end) {
    const stop = validateDocument(message, at, end);
    items.push({ type: T.document, value: Doc.fromRaw(message.subarray(at, stop)) });
    at = stop;
  }
  return { name: message.toString("utf8", start + 4, nameEnd), items, end };
}

function parseOpQuery(message: Buffer): Doc {
  const nameEnd = message.indexOf(0, 20);
  if (nameEnd < 0 || nameEnd + 9 > message.length) throw new MalformedMessage("it is truncated");
  const namespace = message.toString("utf8", 20, nameEnd);
  if (!namespace.endsWith(".$cmd")) throw new MalformedMessage("OP_QUERY is only supported for commands");
  const start = nameEnd + 9;
  const end = validateDocument(message, start, message.length);
  const body = Doc.fromRaw(message.subarray(start, end));
  body.set("$db", { type: T.string, value: namespace.slice(0, -".$cmd".length) });
  return body;
}

const writer = new Writer();
let nextId = 1;

/** Encodes a reply in the form of its request. */
export function encodeReply(request: Envelope, reply: Doc): Buffer {
  const message = writer.capture((target) => {
    target.int32(0);
    target.int32(nextId);
    target.int32(request.requestId);
    target.int32(request.legacy ? opReply : opMsg);
    if (request.legacy) writeLegacyHead(target);
    else {
      target.int32(0);
      target.byte(0);
    }
    writeDoc(target, reply);
    target.int32At(target.position, 0);
  });
  nextId = (nextId + 1) & 0x7fffffff;
  return message;
}

// Flags (AwaitCapable), cursor id, starting point, number of documents.
function writeLegacyHead(target: Writer): void {
  target.int32(8);
  target.int64(0n);
  target.int32(0);
  target.int32(1);
}

/** Whether an error means that the bytes themselves were wrong. */
export function isMalformed(error: unknown): error is Error {
  return error instanceof MalformedMessage || error instanceof MalformedBson;
}
