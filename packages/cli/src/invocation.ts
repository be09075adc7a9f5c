import type { Command } from "commander";
import type { ExitCode } from "./exit.ts";
import type { Api } from "./http/api.ts";
import type { Options } from "./options.ts";
import type { Output } from "./output.ts";
import type { Io } from "./process-io.ts";

/** One run of one command. */
export interface Invocation {
  readonly io: Io;
  readonly out: Output;
  readonly args: readonly string[];
  readonly options: Options;
  /** A client with the key in MUSTER_API_KEY. Throws a usage error if it is not set. */
  api(): Api;
  /** A client with another key, which acts in the project of that key. `source`: its origin, for errors. */
  apiWith(key: string, source: string): Api;
  /** A client without a key. */
  publicApi(): Api;
}

/** Returns how the process ends if the command ran, but is not fine. */
export type Handler = (invocation: Invocation) => Promise<ExitCode | undefined>;

/** Turns a handler into a commander action. */
export type Act = (handler: Handler) => (this: Command) => Promise<void>;

/** Adds a command to its group. */
export type AddCommand = (group: Command, act: Act) => void;
