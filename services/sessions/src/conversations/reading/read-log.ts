import { firstSequenceIn, isModelRequest, type LogHeader, type LogStore } from "../../store/log-store.ts";
import type { SessionKey } from "../../store/moves.ts";
import type { SessionDocument } from "../../store/session-document.ts";
import type { Histories } from "../history/histories.ts";
import { lacksSomething, maxListedLength } from "./complete-entries.ts";
import type { InTurn, SessionReader } from "./session-reader.ts";

/** A response has at most this many entries. */
export const maxEntries = 3_000;

export interface LogReading {
  /** All entries of the session that match. */
  total: number;
  truncated: boolean;
  /** JSON objects, oldest first, in batches. */
  batches: AsyncIterable<LogBatch>;
}

/** Entries of one execution. */
export interface LogBatch {
  executionId: string;
  lines: string[];
}

interface Options {
  excludeModelRequests: boolean;
  /** The oldest entries after this sequence number. Absent: the newest ones. */
  after?: number;
  limit: number;
}

type Logs = Pick<LogStore, "between">;

/** `headers`: of the whole log. Nothing here is parsed: an entry is a line that begins with its type. */
export async function readLog(
  logs: Logs,
  key: SessionKey,
  headers: readonly LogHeader[],
  options: Options,
): Promise<LogReading> {
  const counts = headers.map(({ count, requests }) => count - (options.excludeModelRequests ? requests : 0));
  const total = counts.reduce((sum, count) => sum + count, 0);
  const { limit, after } = options;
  const skip =
    after === undefined ? Math.max(0, total - limit) : await countUpTo(after, logs, key, headers, options);
  let [from, skipped] = [0, 0];
  while (from < headers.length && skipped + (counts[from] ?? 0) <= skip) skipped += counts[from++] ?? 0;
  const range = { from: headers[from]?._id, to: headers.at(-1)?._id };
  return {
    total,
    truncated: after === undefined ? total > limit : total - skip > limit,
    batches: batchesOf(logs, key, range, skip - skipped, options),
  };
}

/** How many of the entries have a sequence number up to this. The documents are in their order. */
async function countUpTo(
  after: number,
  logs: Logs,
  key: SessionKey,
  headers: readonly LogHeader[],
  options: Options,
): Promise<number> {
  let last: LogHeader | undefined;
  let count = 0;
  for (const header of headers) {
    if (firstSequenceIn(header) > after) break;
    if (last !== undefined) count += last.count - (options.excludeModelRequests ? last.requests : 0);
    last = header;
  }
  if (last === undefined) return 0;
  for await (const document of logs.between(key, last._id, last._id))
    count += linesOf(document, options).filter((line) => sequenceOfLine(line) <= after).length;
  return count;
}

function sequenceOfLine(line: string): number {
  return Number(/^\{"type":"[\w-]+","id":"\w+","sequence":(\d+)/.exec(line)?.[1]);
}

async function* batchesOf(
  logs: Logs,
  key: SessionKey,
  { from, to }: { from: string | undefined; to: string | undefined },
  skip: number,
  options: Options,
): AsyncGenerator<LogBatch> {
  if (from === undefined || to === undefined) return;
  let skipped = 0;
  let left = options.limit;
  for await (const document of logs.between(key, from, to)) {
    const lines = linesOf(document, options);
    const kept = lines.slice(Math.min(skip - skipped, lines.length));
    skipped += lines.length - kept.length;
    if (kept.length > 0) yield { executionId: document.executionId, lines: kept.slice(0, left) };
    left -= kept.length;
    if (left <= 0) return;
  }
}

function linesOf({ entries }: { entries: string }, { excludeModelRequests }: Options): string[] {
  return entries.split("\n").filter((line) => !excludeModelRequests || !isModelRequest(line));
}

/** The line of the entry with this id; undefined if the log has none. */
export async function findEntry(
  logs: Pick<LogStore, "containing">,
  key: SessionKey,
  id: string,
  sequence: number,
): Promise<LogBatch | undefined> {
  const document = await logs.containing(key, sequence);
  const lines = document?.entries.split("\n").filter((line) => line.includes(`,"id":"${id}",`)) ?? [];
  const line = lines.find((each) => sequenceOfLine(each) === sequence);
  return document && line ? { executionId: document.executionId, lines: [line] } : undefined;
}

interface Sources {
  histories: Pick<Histories, "textsOf">;
  reader: Pick<SessionReader, "complete">;
}

/**
 * The entries with whole values as far as the stored conversation has them, chunk by chunk. Null: it is no longer
 * stored, or never was, like that of a worker execution.
 */
export async function completed(
  { histories, reader }: Sources,
  inTurn: InTurn,
  session: SessionDocument | null,
  { executionId, lines }: LogBatch,
  maxLength = maxListedLength,
): Promise<string[]> {
  if (session === null || !lines.some(lacksSomething)) return lines;
  return inTurn(async () => {
    let all = lines;
    for await (const text of histories.textsOf(session, executionId)) {
      const lacking = all.filter(lacksSomething);
      if (lacking.length === 0) break;
      const found = (await reader.complete({ lines: lacking, executionId, text, maxLength })).values();
      all = all.map((line) => (lacksSomething(line) ? (found.next().value ?? line) : line));
    }
    return all;
  });
}
