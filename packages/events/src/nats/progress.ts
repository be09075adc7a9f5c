/**
 * Which of a stream's events one reader is done with, so that reading can begin anew without missing one or handing
 * one out twice. Events have sequence numbers; those of other subjects are missing between them.
 */
export class Progress {
  /** Received, and not handled successfully yet. */
  readonly #open = new Set<number>();
  /** Done, but later than one that is open. */
  readonly #doneAhead = new Set<number>();
  #last = 0;

  /** Where to begin anew. */
  get next(): number {
    return Math.min(this.#last + 1, ...this.#open);
  }

  /** Everything up to this sequence is of no concern. */
  startAfter(sequence: number): void {
    this.#last = Math.max(this.#last, sequence);
  }

  /** Forgets everything: the sequence numbers begin anew. */
  restart(): void {
    this.#open.clear();
    this.#doneAhead.clear();
    this.#last = 0;
  }

  isDone(sequence: number): boolean {
    return this.#doneAhead.has(sequence) || sequence < this.next;
  }

  received(sequence: number): void {
    this.#last = Math.max(this.#last, sequence);
    this.#open.add(sequence);
  }

  done(sequence: number): void {
    const before = this.next;
    if (!this.#open.delete(sequence)) return;
    this.#doneAhead.add(sequence);
    const { next } = this;
    // One that stays open holds everything after it; going through that each time would be ever slower.
    if (next === before) return;
    for (const done of this.#doneAhead) if (done < next) this.#doneAhead.delete(done);
  }
}
