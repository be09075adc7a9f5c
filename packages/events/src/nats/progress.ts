/**
 * Tracks a reader's finished events in a stream, so that reading can restart without missing or repeating
 * any. Events have sequence numbers with gaps, which belong to other subjects.
 */
export class Progress {
  /** Received but not yet handled successfully. */
  readonly #open = new Set<number>();
  /** Done, but later than an open one. */
  readonly #doneAhead = new Set<number>();
  #last = 0;

  /** Where to restart. */
  get next(): number {
    return Math.min(this.#last + 1, ...this.#open);
  }

  /** Ignores everything up to this sequence. */
  startAfter(sequence: number): void {
    this.#last = Math.max(this.#last, sequence);
  }

  /** Resets all state: sequence numbers start again. */
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
    // An event that stays open keeps all later ones in the set; scanning them each time would get ever slower.
    if (next === before) return;
    for (const done of this.#doneAhead) if (done < next) this.#doneAhead.delete(done);
  }
}
