import type { LogHeader, LogStore } from "../store/log-store.ts";
import type { SessionKey } from "../store/moves.ts";

/** A response has at most this many entries. */
export const maxEntries = 3_000;

export interface LogReading {
  /** All entries of the session that match. */
  total: number;
  truncated: boolean;
  /** JSON objects, oldest first, in batches. */
  batches: AsyncIterable<string[]>;
}

interface Options {
  excludeModelRequests: boolean;
}

/** The newest entries. `headers`: of the whole log. Nothing here is parsed: an entry is a line that begins with its type. */
export function readLog(
  logs: Pick<LogStore, "between">,
  key: SessionKey,
  headers: readonly LogHeader[],
  options: Options,
): LogReading {
  const countIn = ({ count, requests }: LogHeader) =>
    options.excludeModelRequests ? count - requests : count;
  const total = headers.reduce((sum, header) => sum + countIn(header), 0);
  let from = headers.length;
  let found = 0;
  while (from > 0 && found < maxEntries) {
    from -= 1;
    const header = headers[from];
    if (header !== undefined) found += countIn(header);
  }
  const range = { from: headers[from]?._id, to: headers.at(-1)?._id };
  return {
    total,
    truncated: total > maxEntries,
    batches: batchesOf(logs, key, range, Math.max(0, found - maxEntries), options),
  };
}

async function* batchesOf(
  logs: Pick<LogStore, "between">,
  key: SessionKey,
  { from, to }: { from: string | undefined; to: string | undefined },
  skip: number,
  { excludeModelRequests }: Options,
): AsyncGenerator<string[]> {
  if (from === undefined || to === undefined) return;
  let skipped = 0;
  for await (const { entries } of logs.between(key, from, to)) {
    const lines = entries.split("\n").filter((line) => !excludeModelRequests || !isModelRequest(line));
    const kept = lines.slice(Math.min(skip - skipped, lines.length));
    skipped += lines.length - kept.length;
    if (kept.length > 0) yield kept;
  }
}

function isModelRequest(line: string): boolean {
  return line.startsWith('{"type":"model-request",');
}
