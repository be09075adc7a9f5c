import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { createGunzip } from "node:zlib";
import { Binary, type Document, EJSON } from "bson";

/** How the store's result is compared with the recorded one. */
export type Comparison = "exact" | "list" | "set" | "idx";

/** One recorded operation and MongoDB's response. */
export interface Recorded {
  readonly round: number;
  readonly seq: number;
  readonly compare: Comparison;
  readonly command: Document;
  readonly answer: Document;
  /** The collection's documents by `_id`, after a write. */
  readonly after?: readonly Document[];
}

const comparisons: readonly string[] = ["exact", "list", "set", "idx"];

/** Reads a recording: one document in canonical Extended JSON per line, gzipped. */
export async function* readRecording(path: string): AsyncGenerator<Recorded> {
  const lines = createInterface({ input: createReadStream(path).pipe(createGunzip()) });
  for await (const line of lines) yield parseLine(line);
}

function parseLine(line: string): Recorded {
  const { round, seq, compare, command, answer, after } = parseExtendedJson(line);
  if (!isComparison(compare)) throw new TypeError(`unknown comparison '${compare}'`);
  const operation = { round: Number(round), seq: Number(seq), compare, command, answer };
  return after === undefined ? operation : { ...operation, after };
}

const uuidSubtype = 4;
const placeholderSubtype = 0xf4;

// The library refuses a UUID that is not 16 bytes long, which BSON allows: it is parsed under another subtype.
function parseExtendedJson(text: string): Document {
  const parsed = EJSON.parse(text.replaceAll(/("subType": *)"04"/g, '$1"f4"'), { relaxed: false });
  restoreUuids(parsed);
  return parsed;
}

function restoreUuids(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  if (!(value instanceof Binary)) Object.values(value).forEach(restoreUuids);
  else if (value.sub_type === placeholderSubtype) value.sub_type = uuidSubtype;
}

function isComparison(value: unknown): value is Comparison {
  return typeof value === "string" && comparisons.includes(value);
}
