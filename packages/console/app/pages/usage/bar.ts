export interface Bar {
  day: string;
  value: number;
  /** The parts of the value that have a colour of their own, from the bottom. The rest is grey. */
  parts: readonly number[];
}

/** The variables with the colours of the parts. */
export const partColours = ["--accent", "--ansi-6", "--ansi-3", "--ansi-5", "--ansi-2"] as const;
