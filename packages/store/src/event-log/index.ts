export { documentLength, EventLog, type EventLogOptions } from "./event-log.ts";
export { createEventLogs } from "./event-logs.ts";
export {
  createEventStore,
  type EventCollection,
  type EventLine,
  type EventStore,
  type EventsDocument,
  endOf,
  eventIndexes,
  eventsId,
  idsOf,
  lineOf,
  linesIn,
  linesOf,
  type NumberedEvent,
  padded,
  shortLinesOf,
} from "./events-document.ts";
export { follow, type LogReader, type Piece, pieceOf } from "./follow.ts";
