/* What a session's readers need done on other threads. */
export { completeEntries } from "./complete-entries.ts";
export { show } from "./show-session.ts";
