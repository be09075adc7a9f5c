import { entrySchemas } from "@muster/wire/log-entries";
import { Type } from "@muster/wire/schema";
import { numberPatterns } from "../edge/errors/patterns.ts";
import { idSegment, text } from "./common.ts";
import { expiredSession } from "./sessions.ts";

export const sessionLogParams = Type.Object({
  sessionId: {
    ...idSegment,
    description: "The id of the session, or the `exe_…` of a worker execution.",
  },
});

export const logEntryParams = Type.Object({
  ...sessionLogParams.properties,
  entryId: { ...idSegment, description: "The id of the entry." },
});

export const sessionLogQuery = Type.Object({
  excludeModelRequests: Type.Optional(
    Type.Enum(["true", "false"], {
      description: "`true` leaves out the entries of type `model-request`, which are the largest.",
    }),
  ),
  after: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 130,
      description:
        "Returns the oldest entries after the one with this `id` or `sequence`; `0` for those from the beginning. Without it and `limit`, the newest are returned.",
    }),
  ),
  limit: Type.Optional(
    Type.String({
      pattern: numberPatterns[3_000],
      description: "How many entries to return at most, from 1 to 3000, from the oldest on. Default: 3000.",
    }),
  ),
});

/** Also the response with one entry. */
export const logEntry = Type.Union(Object.values(entrySchemas), {
  title: "LogEntry",
  description: "An entry of an execution log; `type` names it. Ignore entries of unknown types.",
});

const sessionLog = Type.Object(
  {
    sessionId: text("The id of the session."),
    entries: Type.Array(logEntry, {
      description: "The newest entries, or those after `after`, up to `limit`, oldest first.",
    }),
    total: Type.Integer({ description: "How many stored entries match the request." }),
    truncated: Type.Boolean({
      description:
        "True if older entries match but are not in the response; with `after` or `limit`, if later ones do.",
    }),
  },
  { title: "SessionLog", description: "What the executions of a session did." },
);

export const sessionLogReply = Type.Union([sessionLog, expiredSession], {
  title: "SessionLogReply",
  description: "The log, or the remaining fields of an expired session.",
});
