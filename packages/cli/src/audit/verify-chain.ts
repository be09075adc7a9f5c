import { type ChainedFields, chainHash, chainStart } from "@muster/wire/audit";
import { integer, optionalText, record, text } from "../read.ts";

/** The outcome of a check. `broken`: why, with the number of the first broken entry. */
export interface CheckedChain {
  entries: number;
  /** The last intact entry. */
  last: { number: number; hash: string };
  broken?: { number: number; reason: string };
}

/**
 * Computes the chain of an exported log again. The first line may be the anchor of a log whose old entries were removed.
 * `kept`: an entry that an earlier check has printed, which the log must still have unless it is older than the anchor.
 */
export async function verifyChain(
  lines: AsyncIterable<Record<string, unknown>> | Iterable<Record<string, unknown>>,
  kept?: CheckedChain["last"],
): Promise<CheckedChain> {
  let last = { number: 0, hash: chainStart };
  let entries = 0;
  for await (const line of lines) {
    if (entries === 0 && last.number === 0 && line.anchor !== undefined) {
      const anchor = record(line.anchor);
      last = { number: integer(anchor, "number"), hash: text(anchor, "hash") };
      if (isOther(kept, last)) return { entries, last, broken: { number: last.number, reason: otherHash } };
      continue;
    }
    const entry = entryOf(line);
    const hash = chainHash(last.hash, entry);
    const reason = reasonOf(entry.number, last.number + 1, hash === text(line, "hash"));
    if (reason !== undefined) return { entries, last, broken: { number: last.number + 1, reason } };
    last = { number: entry.number, hash };
    if (isOther(kept, last)) return { entries, last, broken: { number: last.number, reason: otherHash } };
    entries += 1;
  }
  if (kept === undefined || last.number >= kept.number) return { entries, last };
  return { entries, last, broken: { number: last.number + 1, reason: "it and all later ones are missing" } };
}

const otherHash = "its hash is not the expected one";

function isOther(kept: CheckedChain["last"] | undefined, { number, hash }: CheckedChain["last"]): boolean {
  return number === kept?.number && hash !== kept.hash;
}

function reasonOf(number: number, expected: number, isHashRight: boolean): string | undefined {
  if (number !== expected) return `the export continues with ${number}`;
  return isHashRight ? undefined : "its hash does not follow from its fields and the entry before it";
}

function entryOf(line: Record<string, unknown>): ChainedFields {
  const actor = record(line.actor);
  return {
    ...{ number: integer(line, "number"), id: text(line, "id"), at: text(line, "at") },
    actor: { kind: text(actor, "kind"), id: text(actor, "id"), ip: optionalText(actor, "ip") },
    ...{ action: text(line, "action"), target: text(line, "target") },
    ...{ before: optionalText(line, "before"), after: optionalText(line, "after") },
    ...{ requestId: text(line, "requestId"), outcome: text(line, "outcome") },
  };
}
