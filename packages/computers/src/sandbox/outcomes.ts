import { isJsonObject, type JsonValue } from "@muster/language";
import type { CallOutcome } from "../computer.ts";
import type { BlobStore } from "../store/blob-store.ts";
import { maxInlineOutcome, type StoredOutcome } from "../store/documents.ts";

/** Stores a long outcome, so that it can be named in the document. */
export async function keepOutcome(
  blobs: BlobStore,
  epoch: number,
  id: string,
  outcome: CallOutcome,
): Promise<StoredOutcome> {
  const text = JSON.stringify(outcome);
  if (text.length <= maxInlineOutcome) return { id, text };
  return { id, blob: await blobs.put(Buffer.from(text), epoch) };
}

export async function recallOutcome(blobs: BlobStore, { text, blob }: StoredOutcome): Promise<CallOutcome> {
  const json = text ?? (blob === undefined ? "" : Buffer.from(await blobs.readAll(blob)).toString());
  const value: JsonValue = JSON.parse(json);
  if (isJsonObject(value)) {
    if (value.result !== undefined) return { result: value.result };
    if (typeof value.error === "string") return { error: value.error };
  }
  return { unknown: true };
}
