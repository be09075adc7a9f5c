import type { Block, BlockKind, ThreadConfig } from "./program.ts";

/**
 * Parts of the language that compile but that the engine does not run yet. A definition that uses one is accepted
 * with a warning, and only a block that needs it now fails, with an error that says so. Removing an entry from these
 * tables is the last step when the engine learns to run it.
 */
export const blocksNotRunYet: Partial<Readonly<Record<BlockKind, string>>> = {
  "generate-image": "Generating images",
  "generate-speech": "Generating speech",
  "transcribe-audio": "Transcribing audio",
};

/** Keys of `agent` and start-thread with their names in messages. The thread's model works without them. */
export const threadKeysNotRunYet: Partial<Readonly<Record<ThreadKey, string>>> = {
  mcpServers: "Remote MCP servers",
  onDemandMcpServers: "Remote MCP servers",
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

/** The part that a block needs now and the engine lacks, as the beginning of a sentence; undefined if it can run. */
export function notRunYet({ kind }: Block): string | undefined {
  return blocksNotRunYet[kind];
}

/** Whether a key requests anything: empty lists and false do not. */
export function isAsked(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
}
