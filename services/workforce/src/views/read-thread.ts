import type { ThreadDocument } from "../store/thread-document.ts";
import type { ThreadUsage } from "./read-usage.ts";

export interface Conversation {
  /** JSON array of UIMessage. */
  messagesJson: string;
  usage?: ThreadUsage;
}

/** A thread and the part that its session has of it. */
export interface ReadThread {
  thread: ThreadDocument;
  conversation: Conversation;
}
