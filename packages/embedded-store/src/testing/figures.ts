/** Prints measured figures beside their targets. */
export class Figures {
  #missed = 0;
  #reached = 0;

  /** A figure that has to stay below its target. */
  below(title: string, value: number, target: number, unit: string): void {
    const isReached = value < target;
    if (isReached) this.#reached++;
    else this.#missed++;
    console.log(
      `${isReached ? "pass" : "MISS"}: ${title}: ${value.toFixed(2)} ${unit} (target: below ${target} ${unit})`,
    );
  }

  /** Prints the number of reached targets, and fails the process if one was missed. */
  end(): void {
    console.log(`${this.#reached} targets reached, ${this.#missed} missed`);
    if (this.#missed > 0) process.exitCode = 1;
  }
}

/** The value below which a share of the values lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
