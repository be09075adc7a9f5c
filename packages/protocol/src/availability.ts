import type { Block, BlockKind, ThreadConfig } from "./program.ts";

/**
 * Parts of the language that compile but that the engine does not run yet. A definition that uses one is accepted
 * with a warning, and the block that needs it fails at run time and says so. Taking an entry out of these tables
 * is the last step of making the engine run it.
 */
export const blocksNotRunYet: Partial<Readonly<Record<BlockKind, string>>> = {
  "run-worker": "Running workers",
  "generate-image": "Generating images",
};

/** Keys of `agent` and start-thread by what a message calls them. They fail the first next-message of the thread. */
export const threadKeysNotRunYet = {
  workers: "Calling workers",
  mcpServers: "MCP servers",
  skills: "Skills",
  webSearch: "Web search",
  imageModel: "Generating images",
  contextManagement: "Context management",
} as const satisfies Partial<Record<keyof ThreadConfig, string>>;

/** What a block needs and the engine lacks, as the beginning of a sentence; undefined when it can run. */
export function notRunYet(block: Block, thread: ThreadConfig | undefined): string | undefined {
  const kind = blocksNotRunYet[block.kind];
  if (kind !== undefined) return kind;
  if (block.kind === "add-message" && block.files.length > 0) return "Files in messages";
  if (block.kind !== "next-message" || thread === undefined) return undefined;
  for (const [key, what] of Object.entries(threadKeysNotRunYet)) {
    if (isAsked(thread[key as keyof typeof threadKeysNotRunYet])) return what;
  }
  return undefined;
}

function isAsked(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
}
