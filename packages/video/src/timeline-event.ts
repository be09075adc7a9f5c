/** Something that happened during a run: an event of the thread, with its time. */
export interface TimelineEvent {
  /** Milliseconds since the run began. */
  atMs: number;
  /** The type as in `json`; the types of thread events. Unknown ones show nothing. */
  type: string;
  /** The event as a JSON object. Anything else is ignored. */
  json: string;
}
