import type { Computers } from "@muster/computers";
import type { Deployment } from "../config.ts";
import type { WorkforceContext } from "../context.ts";
import type { ThreadLogs } from "./events/thread-logs.ts";

/** What runs need. */
export interface RunsContext
  extends Pick<
    WorkforceContext,
    | "agents"
    | "threads"
    | "runs"
    | "wakeUps"
    | "services"
    | "callFor"
    | "instance"
    | "onlyHolder"
    | "timings"
    | "clock"
    | "newId"
    | "log"
  > {
  computers: Computers;
  threadLogs: ThreadLogs;
  /** The build of this process. */
  deployment: Deployment;
}
