import type { RequestedApproval, StreamEvent, UiMessage } from "@muster/client";
import { EventFold } from "@muster/client/fold";

/** The messages of a session or a thread, and the decisions that its turn waits for. */
export class Conversation {
  #fold: EventFold;
  #shown: readonly UiMessage[] = [];
  #isAsking = false;
  approvals: readonly RequestedApproval[] = [];

  constructor(messages: readonly UiMessage[]) {
    this.#fold = new EventFold({ messages });
  }

  take(event: StreamEvent): void {
    this.#fold.take(event);
    if (event.type === "approval-request") {
      this.approvals = event.approvals;
      this.#isAsking = true;
    } else if (event.type === "finish") this.#isAsking = false;
    else if (!this.#isAsking) this.approvals = [];
  }

  /** A message that has ended stays the same object, so that only the others are rendered again. */
  get messages(): readonly UiMessage[] {
    this.#shown = this.#fold.messages().map((message, index) => {
      const before = this.#shown[index];
      const isSame = before?.id === message.id && before.status === "done" && message.status === "done";
      return isSame ? before : message;
    });
    return this.#shown;
  }
}
