import { entrySchemas } from "@muster/log-entries";
import { Type } from "@muster/schema";
import { idSegment, text } from "./common.ts";
import { expiredSession } from "./sessions.ts";

export const sessionLogParams = Type.Object({
  sessionId: {
    ...idSegment,
    description: "The id of the session, or the `exe_…` of a worker execution.",
  },
});

export const sessionLogQuery = Type.Object({
  excludeModelRequests: Type.Optional(
    Type.Enum(["true", "false"], {
      description: "`true` leaves out the entries of type `model-request`, which are the largest.",
    }),
  ),
});

const entry = Type.Union(Object.values(entrySchemas), {
  title: "LogEntry",
  description: "An entry of an execution log; `type` names it. Ignore entries of unknown types.",
});

const sessionLog = Type.Object(
  {
    sessionId: text("The id of the session."),
    entries: Type.Array(entry, { description: "The newest entries, up to 3,000, oldest first." }),
    total: Type.Integer({ description: "How many stored entries match the request." }),
    truncated: Type.Boolean({ description: "True if older entries match but are not in the response." }),
  },
  { title: "SessionLog", description: "What the executions of a session did." },
);

export const sessionLogReply = Type.Union([sessionLog, expiredSession], {
  title: "SessionLogReply",
  description: "The log, or the remaining fields of an expired session.",
});
