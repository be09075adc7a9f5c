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

/** Keys of blocks, by kind of block and by what a message calls them. */
export const blockKeysNotRunYet: Partial<Readonly<Record<BlockKind, Readonly<Record<string, string>>>>> = {
  "add-message": { files: "Files in messages" },
};

/** Keys of `agent` and start-thread by what a message calls them. They fail the first next-message of the thread. */
export const threadKeysNotRunYet: Partial<Readonly<Record<keyof ThreadConfig, string>>> = {
  workers: "Calling workers",
  mcpServers: "MCP servers",
  skills: "Skills",
  webSearch: "Web search",
  imageModel: "Generating images",
  contextManagement: "Context management",
};

/** What a block needs and the engine lacks, as the beginning of a sentence; undefined when it can run. */
export function notRunYet(block: Block, thread: ThreadConfig | undefined): string | undefined {
  const kind = blocksNotRunYet[block.kind];
  if (kind !== undefined) return kind;
  const key = firstAsked(blockKeysNotRunYet[block.kind] ?? {}, block);
  if (key !== undefined || block.kind !== "next-message" || thread === undefined) return key;
  return firstAsked(threadKeysNotRunYet, thread);
}

function firstAsked(table: Readonly<Record<string, string>>, owner: object): string | undefined {
  return Object.entries(table).find(([key]) => isAsked(Reflect.get(owner, key)))?.[1];
}

/** Tells whether a key asks for anything: empty lists and false do not. */
export function isAsked(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
}
