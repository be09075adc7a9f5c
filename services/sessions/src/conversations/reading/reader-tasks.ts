/* The work for a session's readers that other threads do. */
export { completeEntries } from "./complete-entries.ts";
export { showSession } from "./show-session.ts";
