import type { Output } from "./shell.ts";

/** The recorded output of one terminal. */
export interface Scene {
  readonly title: string;
  readonly output: readonly Output[];
}
