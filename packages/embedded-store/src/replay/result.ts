import { type Document, EJSON } from "bson";
import type { Comparison } from "./read-recording.ts";

/** The parts of a reply (or of a recorded answer) that must agree, as comparable text. */
export function resultOf(reply: Document, compare: Comparison): string {
  if (reply.error !== undefined) return compare === "idx" ? "error" : `error ${Number(reply.error)}`;
  if (compare === "idx") return "ok";
  if (compare === "list") return documentsOf(reply).join("\n");
  if (compare === "set") return documentsOf(reply).sort().join("\n");
  return exactParts(reply);
}

export function canonical(value: unknown): string {
  return EJSON.stringify(value, { relaxed: false });
}

function documentsOf({ list, cursor }: Document): string[] {
  if (list) return list.map(String);
  return cursor.firstBatch.map(canonical);
}

function exactParts(reply: Document): string {
  const { n, nModified, upserted, writeErrors, value } = reply;
  const outcome = reply.leo ?? reply.lastErrorObject;
  const errors = writeErrors?.map(({ index, code, keyPattern, keyValue }: Document) =>
    canonical({ index, code, keyPattern, keyValue }),
  );
  return canonical({ n, nModified, upserted, errors, value, outcome });
}
