import type { JsonObject, JsonValue, NextMessageBlock, ThreadConfig } from "@muster/language";
import type { Look } from "../shown/display.ts";
import type { Turn } from "../turn/turn.ts";

/** A tool that the engine runs itself, inside the turn; its results go straight back to the model. */
export interface PlatformTool {
  /** Begins with `platform_`, which is reserved for these tools. */
  readonly name: string;
  readonly description: string;
  /** A schema of type object. */
  readonly inputSchema: JsonObject;
  readonly look: Look;
  isOffered(config: ThreadConfig): boolean;
  /** `args` match the schema. */
  run(args: JsonObject, call: PlatformCall): PlatformOutcome;
}

/** The context of a call. */
export interface PlatformCall {
  readonly turn: Turn;
  readonly block: NextMessageBlock;
  readonly config: ThreadConfig;
}

/** `reference`: its content is the result. `error`: a sentence for the model. */
export type PlatformOutcome =
  | { ok: true; result: JsonValue }
  | { ok: true; reference: string }
  | { ok: false; error: string };
