import { isDeepStrictEqual } from "node:util";
import type { UiMessage } from "@muster/client";
import { EventFold } from "@muster/client/fold";
import type { RelayedEvent } from "../../streams/frames.ts";
import { type Part, partsOf } from "./task.ts";

/**
 * The changes of the artifacts of a task that its client has read, from the thread's events since its first one. Messages
 * that the task has as a whole are skipped, and one that is being written is sent again from its beginning.
 */
export class ArtifactUpdates {
  readonly #fold = new EventFold();
  readonly #complete: ReadonlySet<string>;
  readonly #sent = new Map<string, Part[]>();

  constructor(messages: readonly UiMessage[]) {
    this.#complete = new Set(messages.filter(({ status }) => status === "done").map(({ id }) => id));
  }

  take({ json }: RelayedEvent): void {
    this.#fold.take(JSON.parse(json));
  }

  /** Since the last call: the parts to append to an artifact, or all of them. */
  changes() {
    const messages = this.#fold
      .messages()
      .filter(({ id, role }) => role === "assistant" && !this.#complete.has(id));
    return messages.flatMap((message) => {
      const parts = partsOf(message);
      const sent = this.#sent.get(message.id) ?? [];
      if (isDeepStrictEqual(parts, sent)) return [];
      this.#sent.set(message.id, parts);
      const added = sent.length === 0 ? undefined : addedTo(sent, parts);
      const shown = added ?? (parts.length === 0 ? [{ text: "" }] : parts);
      return [{ artifact: { artifactId: message.id, parts: shown }, append: added !== undefined }];
    });
  }
}

/** Undefined if something else has changed than the end, because a step was retracted. */
function addedTo(sent: readonly Part[], parts: readonly Part[]): Part[] | undefined {
  const end = sent.length - 1;
  const [last, now] = [sent[end], parts[end]];
  if (!isDeepStrictEqual(sent.slice(0, end), parts.slice(0, end))) return undefined;
  const added = parts.slice(sent.length);
  if (isDeepStrictEqual(last, now)) return added;
  if (last?.text === undefined || !now?.text?.startsWith(last.text)) return undefined;
  return [{ text: now.text.slice(last.text.length) }, ...added];
}
