import type { Output } from "./shell.ts";

/** What one terminal showed. */
export interface Scene {
  readonly title: string;
  readonly output: readonly Output[];
}
