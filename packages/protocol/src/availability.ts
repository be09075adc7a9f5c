import type { Block, BlockKind, ThreadConfig } from "./program.ts";

/**
 * Parts of the language that compile but that the engine does not run yet. A definition that uses one is accepted
 * with a warning, and the block that needs it fails at run time with an error that says so. Removing an entry from
 * these tables is the last step when the engine learns to run it.
 */
export const blocksNotRunYet: Partial<Readonly<Record<BlockKind, string>>> = {
  "run-worker": "Running workers",
  "generate-image": "Generating images",
};

/** Keys of blocks, by kind of block; the values are their names in messages. */
export const blockKeysNotRunYet: Partial<Readonly<Record<BlockKind, Readonly<Record<string, string>>>>> = {
  "add-message": { files: "Files in messages" },
};

/** Keys of `agent` and start-thread with their names in messages. They make the thread's first next-message fail. */
export const threadKeysNotRunYet: Partial<Readonly<Record<keyof ThreadConfig, string>>> = {
  workers: "Calling workers",
  mcpServers: "MCP servers",
  skills: "Skills",
  webSearch: "Web search",
  imageModel: "Generating images",
  contextManagement: "Context management",
};

/** The part that a block needs and the engine lacks, as the beginning of a sentence; undefined if the block can run. */
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

/** Whether a key requests anything: empty lists and false do not. */
export function isAsked(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
}
