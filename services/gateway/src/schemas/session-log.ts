import { entrySchemas } from "@muster/wire/log-entries";
import { flag, integer, list, object, oneOf, optional, Type, text } from "@muster/wire/schema";
import { numberPatterns } from "../edge/errors/patterns.ts";
import { segmentOf } from "./common.ts";
import { expiredSession } from "./sessions.ts";

export const sessionLogParams = Type.Object({
  sessionId: segmentOf("The id of the session, or the `exe_…` of a worker execution."),
});

export const logEntryParams = Type.Object({
  ...sessionLogParams.properties,
  entryId: segmentOf("The id of the entry."),
});

export const sessionLogQuery = Type.Object({
  excludeModelRequests: optional(
    oneOf("`true` leaves out the entries of type `model-request`, which are the largest.", ["true", "false"]),
  ),
  after: optional(
    text(
      "Returns the oldest entries after the one with this `id` or `sequence`; `0` for those from the beginning. Without it and `limit`, the newest are returned.",
      { minLength: 1, maxLength: 130 },
    ),
  ),
  limit: optional(
    text("The maximum number of entries to return, from 1 to 3000, from the oldest on. Default: 3000.", {
      pattern: numberPatterns[3_000],
    }),
  ),
});

/** Also the response with one entry. */
export const logEntry = Type.Union(Object.values(entrySchemas), {
  title: "LogEntry",
  description: "An entry of an execution log; `type` names it. Ignore entries of unknown types.",
});

const sessionLog = object("SessionLog", "The log of the executions of a session.", {
  sessionId: text("The id of the session."),
  entries: list("The newest entries, or those after `after`, up to `limit`, oldest first.", logEntry),
  total: integer("How many stored entries match the request."),
  truncated: flag(
    "True if older entries match but are not in the response; with `after` or `limit`, if later ones do.",
  ),
});

export const sessionLogReply = Type.Union([sessionLog, expiredSession], {
  title: "SessionLogReply",
  description: "The log, or the remaining fields of an expired session.",
});
