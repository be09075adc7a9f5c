import { setTimeout as sleep } from "node:timers/promises";
import { getSessionLog, type LogEntry } from "../../api/get-session-log.ts";
import { CliError, exitCodes, usageError } from "../../exit.ts";
import { examples } from "../../help.ts";
import type { AddCommand, Handler } from "../../invocation.ts";
import { logLine } from "./log-line.ts";

const pollEveryMs = 1_000;

/** Shown at the start. */
const shownAtFirst = 20;

export const tailSession: AddCommand = (group, act) => {
  group
    .command("tail")
    .description("Show the newest entries of a session's log, and follow it.")
    .argument("<id>", "Id of the session, or of a worker execution")
    .option("--requests", "Include what the models are sent")
    .addHelpText("after", examples("muster sessions tail ses_01m2k3"))
    .action(act(handle));
};

const handle: Handler = async ({ args, io, options, out, api }) => {
  if (out.json) throw usageError("sessions tail does not support --json. Use sessions logs --json instead.");
  const [sessionId = ""] = args;
  const client = api();
  const leaving = new AbortController();
  const stopListening = io.onInterrupt(() => leaving.abort());
  let after: number | undefined;
  try {
    while (!leaving.signal.aborted && !out.isClosed) {
      const read = getSessionLog(client, sessionId, options.flag("requests"), after);
      const log = await read.catch((error: unknown) => {
        // A server that restarts, or a proxy before it, does not end the watch.
        if (after === undefined || !isPassing(error)) throw error;
        return { entries: [] };
      });
      if (log === undefined) {
        out.note("The session has expired.");
        return exitCodes.fine;
      }
      // A server that does not know `after` sends the earlier ones too.
      const fresh =
        after === undefined
          ? log.entries.slice(-shownAtFirst)
          : log.entries.filter((entry) => (sequenceOf(entry) ?? 0) > (after ?? 0));
      for (const entry of fresh) out.line(logLine(entry, out));
      after = sequenceOf(log.entries.at(-1)) ?? after ?? 0;
      await sleep(pollEveryMs, undefined, { signal: leaving.signal }).catch(() => undefined);
    }
    return leaving.signal.aborted ? exitCodes.interrupted : exitCodes.fine;
  } finally {
    stopListening();
  }
};

const passingStatuses: readonly (number | undefined)[] = [undefined, 429, 502, 503, 504];

/** Without a status, the server could not be reached. */
function isPassing(error: unknown): boolean {
  return error instanceof CliError && passingStatuses.includes(error.status);
}

function sequenceOf(entry: LogEntry | undefined): number | undefined {
  return typeof entry?.sequence === "number" ? entry.sequence : undefined;
}
