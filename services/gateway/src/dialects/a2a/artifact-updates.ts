import type { UiMessage } from "@muster/client";
import { EventFold } from "@muster/client/fold";
import type { StreamEvent } from "@muster/wire/events";
import type { RelayedEvent } from "../../streams/frames.ts";
import { type Part, partsOf } from "./task.ts";

/** The events that parts of artifacts depend on. Others are not kept: results of tools can be large. */
const relevant: ReadonlySet<string> = new Set([
  ...["start", "finish", "error", "tool-request", "approval-request"],
  ...["block-start", "block-end", "step-start", "step-discard"],
  ...["text-start", "text-delta", "text-end", "file-available"],
]);

/**
 * The changes of the artifacts of a task that its client has read, from the thread's events since its first one. Messages
 * that the task has as a whole are skipped, and one that is being written is sent again from its beginning.
 */
export class ArtifactUpdates {
  #fold = new EventFold();
  readonly #complete: Set<string>;
  readonly #sent = new Map<string, Part[]>();
  /** The texts that are structured replies: they are shown once they have ended. */
  readonly #replies = new Set<string>();
  #isChanged = false;

  constructor(messages: readonly UiMessage[]) {
    this.#complete = new Set(messages.filter(({ status }) => status === "done").map(({ id }) => id));
  }

  take({ type, json }: RelayedEvent): void {
    if (!relevant.has(type)) return;
    const event: StreamEvent = JSON.parse(json);
    this.#fold.take(event);
    if (event.type === "text-start" && event.responseType !== undefined) this.#replies.add(event.id);
    else if (event.type === "text-start") this.#replies.delete(event.id);
    this.#isChanged ||= event.type !== "text-delta" || !this.#replies.has(event.id);
  }

  /** Since the last call: the parts to append to an artifact, or all of them. */
  changes() {
    if (!this.#isChanged) return [];
    this.#isChanged = false;
    const messages = this.#fold.messages();
    const changes = messages.flatMap((message) => {
      if (message.role !== "assistant" || this.#complete.has(message.id)) return [];
      const parts = partsOf(message);
      const sent = this.#sent.get(message.id) ?? [];
      this.#sent.set(message.id, parts);
      const added = addedTo(sent, parts);
      if (added?.length === 0) return [];
      const shown = added ?? (parts.length === 0 ? [{ text: "" }] : parts);
      const artifact = { artifactId: message.id, parts: shown };
      return [{ artifact, append: added !== undefined && sent.length > 0 }];
    });
    if (messages.every(({ status }) => status === "done")) this.#forget(messages);
    return changes;
  }

  /** No event changes a message that has ended. */
  #forget(messages: readonly UiMessage[]): void {
    for (const { id } of messages) this.#complete.add(id);
    this.#sent.clear();
    this.#replies.clear();
    this.#fold = new EventFold();
  }
}

/** Undefined if something else has changed than the end, because a step was retracted. */
function addedTo(sent: readonly Part[], parts: readonly Part[]): Part[] | undefined {
  const changed = sent.findIndex((part, index) => !isSame(part, parts[index]));
  if (changed < 0) return parts.slice(sent.length);
  const [before, now] = [sent[changed]?.text, parts[changed]?.text];
  if (changed < sent.length - 1 || before === undefined || !now?.startsWith(before)) return undefined;
  return [{ text: now.slice(before.length) }, ...parts.slice(sent.length)];
}

/** The fold keeps the values of structured replies, so that none is compared in depth. */
function isSame(one: Part, other: Part | undefined): boolean {
  return one.text === other?.text && one.url === other?.url && one.data === other?.data;
}
