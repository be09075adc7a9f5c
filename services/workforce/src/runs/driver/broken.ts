import type { Breakage } from "../failures/classify-failure.ts";

/** Thrown where a run breaks. */
export class Broken extends Error {
  readonly breakage: Breakage;

  constructor(breakage: Breakage, options?: ErrorOptions) {
    super(`The run broke at: ${breakage.at}`, options);
    this.name = "Broken";
    this.breakage = breakage;
  }
}
