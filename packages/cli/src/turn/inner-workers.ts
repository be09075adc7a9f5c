import type { StreamEvent } from "../api/sessions.ts";
import { optionalText } from "../read.ts";

/** Tells the events of workers that run inside a turn, or inside the worker that was started, from its own. */
export class InnerWorkers {
  readonly #isWorkerRun: boolean;
  /** The id of the worker that was started: the first that the stream names. */
  #ownId: string | undefined;
  readonly #slugs = new Map<string, string>();

  constructor({ isWorkerRun }: { isWorkerRun: boolean }) {
    this.#isWorkerRun = isWorkerRun;
  }

  /** The worker that an event belongs to; undefined for an event of the turn itself. Takes each event once, in their order. */
  workerOf(event: StreamEvent): { id: string; slug: string } | undefined {
    const id = optionalText(event, "workerId");
    if (id === undefined) return undefined;
    const slug = optionalText(event, "workerSlug");
    if (slug !== undefined) this.#slugs.set(id, slug);
    if (this.#isWorkerRun && event.type === "worker-start") this.#ownId ??= id;
    return id === this.#ownId ? undefined : { id, slug: this.#slugs.get(id) ?? "worker" };
  }
}
