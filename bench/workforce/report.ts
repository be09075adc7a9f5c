export interface Row {
  name: string;
  value: string;
  /** What it has to be, and what else was seen. */
  note?: string;
  /** Absent: the figure has no target. */
  isReached?: boolean;
}

export function print({ name, value, note = "", isReached }: Row): void {
  const verdict = isReached === undefined ? "" : isReached ? " pass" : " MISS";
  console.log(`${name.padEnd(66)} ${value.padStart(12)}  ${note}${verdict}`);
  if (isReached === false) process.exitCode = 1;
}

export function ms(value: number): string {
  return `${value.toFixed(value < 10 ? 2 : 0)} ms`;
}
