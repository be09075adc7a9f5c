import { open } from "node:fs/promises";
import type { RecorderContext } from "../context.ts";
import type { Attempt } from "./attempt.ts";
import { ownCall } from "./own-call.ts";

type Reading = Pick<RecorderContext, "recordings" | "callAsPlatform" | "timings" | "clock">;

/** Writes the timeline of a recording to a file: one event as JSON per line, in order. */
export async function readTimeline(context: Reading, attempt: Attempt, path: string): Promise<void> {
  const { timings } = context;
  const signal = attempt.stopping;
  // From the beginning each time: a stream that broke off is not continued.
  await ownCall(context, attempt, { signal, forMs: timings.repeatForMs }, () =>
    readOnce(context, attempt, path),
  );
}

async function readOnce(
  { recordings, callAsPlatform, timings }: Reading,
  attempt: Attempt,
  path: string,
): Promise<void> {
  const options = callAsPlatform({ signal: attempt.stopping, timeoutMs: timings.readMs });
  const file = await open(path, "w", 0o600);
  try {
    for await (const { events } of recordings.readTimeline(attempt.key, options)) {
      const lines = events.map(({ atMs, type, json }) => JSON.stringify({ atMs: Number(atMs), type, json }));
      await file.appendFile(lines.map((line) => `${line}\n`).join(""));
    }
  } finally {
    await file.close();
  }
}
