import type { BlockKind, ThreadConfig } from "./program.ts";

/**
 * Parts of the language that compile but that the engine does not run yet. A definition that uses one is accepted
 * with a warning, and only a block that needs it now fails, with an error that says so. Removing an entry from these
 * tables is the last step when the engine learns to run it.
 */
export const blocksNotRunYet = {
  "generate-image": "Generating images",
  "generate-speech": "Generating speech",
  "transcribe-audio": "Transcribing audio",
} as const satisfies Partial<Readonly<Record<BlockKind, string>>>;

export type KindNotRunYet = keyof typeof blocksNotRunYet;
/** The kinds of blocks that the engine runs. */
export type KindRunYet = Exclude<BlockKind, KindNotRunYet>;

/** Whether the engine runs the block; `blocksNotRunYet` names the part that it lacks for the others. */
export function isRunYet<B extends { readonly kind: BlockKind }>(
  block: B,
): block is Extract<B, { readonly kind: KindRunYet }> {
  return !Object.hasOwn(blocksNotRunYet, block.kind);
}

/** Keys of `agent` and start-thread with their names in messages. The thread's model works without them. */
export const threadKeysNotRunYet: Partial<Readonly<Record<ThreadKey, string>>> = {
  skills: "Skills",
  onDemandSkills: "Skills",
  sandboxTimeout: "Skills",
  webSearch: "Web search",
  imageModel: "Generating images",
  speechModel: "Generating speech",
  speechVoice: "Generating speech",
  transcriptionModel: "Transcribing audio",
  videoModel: "Generating videos",
};

/** Keys of `contextManagement`. */
export const contextKeysNotRunYet = {
  recentWindow: "Keeping a number of recent messages",
} as const;

/** A key in its written form. */
type ThreadKey = Exclude<keyof ThreadConfig, "sandboxTimeoutMs"> | "sandboxTimeout";

/** Whether a key requests anything: empty lists and false do not. */
export function isAsked(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
}
