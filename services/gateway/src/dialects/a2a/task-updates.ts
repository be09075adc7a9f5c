import type { RelayedEvent } from "../../streams/frames.ts";
import {
  type Artifact,
  filePartOf,
  type Part,
  statusOf,
  type Task,
  type TaskState,
  type TaskStatus,
  type UiMessage,
} from "./task.ts";

interface Ids {
  taskId: string;
  contextId: string;
}

export interface StatusUpdate {
  statusUpdate: Ids & { status: TaskStatus };
}

/** A change of a task, as `StreamResponse` has it. */
export type Update = StatusUpdate | { artifactUpdate: Ids & { artifact: Artifact; append: boolean } };

/** The fields that are read of a thread's events, as the workforce service sends them. */
interface EventFields {
  messageId?: string;
  blockId?: string;
  step?: number;
  delta?: string;
  thread?: string;
  workerId?: string;
  independent?: boolean;
  waiting?: boolean;
  status?: string;
  waitingFor?: { type: string; approvalIds?: string[] };
  url?: string;
  mediaType?: string;
  filename?: string;
}

const read = new Set([
  "thread-status",
  "start",
  "block-start",
  "block-end",
  "step-start",
  "step-discard",
  "text-delta",
  "file-available",
]);

/**
 * The changes of a task that its client has read, from the thread's events since its first one: messages that the task
 * has as a whole are skipped, and one that is being written is sent again from its beginning.
 */
export class TaskUpdates {
  readonly #ids: Ids;
  readonly #lastSequence: number;
  /** Messages of which the client has everything. */
  readonly #complete: ReadonlySet<string>;
  #state: TaskState;
  /** The message that the turn writes. */
  #messageId = "";
  #isIndependent = false;
  /** Its artifact. A text begins a part of its own at each mark. */
  #parts: Part[] = [];
  #hasSent = false;
  /** How many parts there were where steps and blocks began, and where blocks ended. */
  readonly #marks = new Map<string, number>();
  #latest = 0;
  #isMarked = true;

  /** `lastSequence`: the number of the last event that the task certainly includes. */
  constructor(task: Task, messages: readonly UiMessage[], lastSequence: number) {
    this.#ids = { taskId: task.id, contextId: task.contextId };
    this.#state = task.status.state;
    this.#lastSequence = lastSequence;
    this.#complete = new Set(messages.filter(({ status }) => status === "done").map(({ id }) => id));
  }

  take({ sequence, type, json }: RelayedEvent): Update[] {
    if (!read.has(type)) return [];
    const event: EventFields = JSON.parse(json);
    if (type === "thread-status") return sequence > this.#lastSequence ? this.#takeStatus(event) : [];
    if (event.workerId !== undefined || event.thread !== undefined) return [];
    if (type === "start") this.#begin(event.messageId);
    return this.#complete.has(this.#messageId) ? [] : this.#takeContent(type, event);
  }

  #takeStatus({ status = "", waitingFor }: EventFields): Update[] {
    const waits = waitingFor && {
      ...waitingFor,
      approvalIds: waitingFor.approvalIds ?? [],
      since: undefined,
    };
    const changed = statusOf({ id: this.#ids.taskId, status, waitingFor: waits });
    if (changed.state === this.#state) return [];
    this.#state = changed.state;
    return [{ statusUpdate: { ...this.#ids, status: changed } }];
  }

  #takeContent(type: string, event: EventFields): Update[] {
    const { blockId, step, delta, url, mediaType, filename } = event;
    if (type === "block-start") {
      this.#isIndependent = event.independent === true;
      this.#mark(`block ${blockId}`);
    } else if (type === "step-start") this.#mark(`step ${step}`);
    else if (type === "block-end") {
      this.#marks.set(`end ${blockId}`, this.#parts.length);
      if (event.messageId !== undefined) this.#begin(event.messageId);
    } else if (type === "text-delta" && delta && !this.#isIndependent) return this.#addText(delta);
    else if (type === "file-available" && url && mediaType)
      return this.#addPart(filePartOf({ url, mediaType, filename }));
    else if (type === "step-discard") return this.#discard(event);
    return [];
  }

  /** A turn that continues after a pause continues its message. */
  #begin(messageId = ""): void {
    this.#marks.clear();
    this.#isMarked = true;
    if (messageId === this.#messageId) return;
    this.#messageId = messageId;
    this.#parts = [];
    this.#hasSent = false;
  }

  #mark(name: string): void {
    this.#latest = this.#parts.length;
    this.#marks.set(name, this.#latest);
    this.#isMarked = true;
  }

  #addText(text: string): Update[] {
    const last = this.#parts.at(-1);
    if (this.#isMarked || last?.text === undefined) return this.#addPart({ text });
    last.text += text;
    return this.#send([{ text }]);
  }

  #addPart(part: Part): Update[] {
    this.#isMarked = false;
    this.#parts.push({ ...part });
    return this.#send([part]);
  }

  #discard({ step, blockId, waiting }: EventFields): Update[] {
    const all = this.#parts.length;
    const at = (name: string) => this.#marks.get(name);
    const start = waiting
      ? Math.min(at(`step ${step}`) ?? all, at(`end ${blockId}`) ?? all)
      : (at(blockId === undefined ? `step ${step}` : `block ${blockId}`) ?? this.#latest);
    if (start >= all) return [];
    this.#parts.length = start;
    this.#isMarked = true;
    this.#hasSent = false;
    return this.#send(start === 0 ? [{ text: "" }] : structuredClone(this.#parts));
  }

  #send(parts: Part[]): Update[] {
    const append = this.#hasSent;
    this.#hasSent = true;
    return [{ artifactUpdate: { ...this.#ids, artifact: { artifactId: this.#messageId, parts }, append } }];
  }
}
