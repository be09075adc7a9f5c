export { CompactionTally, contextManagement, keeperEntry, tinyEnvironment } from "./arbitrary-contexts.ts";
export { type Happening, happenings, inFlight, inputFor } from "./arbitrary-happenings.ts";
export { program, threadNames, toolNames } from "./arbitrary-programs.ts";
export { answer, call, start, text } from "./model-parts.ts";
export { beginningOf, countingEnvironment, emptyConversation } from "./play.ts";
export { ask, open, programOf, promptOf, say, serialize } from "./programs.ts";
