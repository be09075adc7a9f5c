import type { WorkforceContext } from "../../context.ts";

/** The dependencies of runs. */
export interface RunsContext
  extends Pick<
    WorkforceContext,
    | "agents"
    | "threads"
    | "runs"
    | "wakeUps"
    | "services"
    | "callFor"
    | "callAsPlatform"
    | "computers"
    | "files"
    | "fetchFile"
    | "rules"
    | "threadLogs"
    | "threadEvents"
    | "recordings"
    | "deployment"
    | "instance"
    | "onlyHolder"
    | "timings"
    | "clock"
    | "newId"
    | "log"
  > {}
