import type { Block, CapabilitySpec, Program, StartThreadBlock, ThreadConfig } from "@muster/protocol";
import { mainThread } from "../conversation/messages.ts";
import type { Turn } from "./turn.ts";

/**
 * The current configuration of a thread: from the start-thread block that last ran for it, or, on the main thread of
 * a session, from `agent`. Without the tools, MCP servers and skills of disabled capabilities. Undefined if the thread
 * was never started.
 */
export function configOf({ program, conversation }: Turn, thread: string): ThreadConfig | undefined {
  const { threads = {} } = conversation;
  const startedBy = Object.hasOwn(threads, thread) ? threads[thread] : undefined;
  const agent = program.format === "interactive" && thread === mainThread ? program.agent : undefined;
  const config = startThreadBlock(program, startedBy)?.config ?? agent;
  return config && withoutDisabled(program, config);
}

function startThreadBlock(program: Program, id: string | undefined): StartThreadBlock | undefined {
  if (id === undefined) return undefined;
  const lists = program.format === "worker" ? [program.steps] : Object.values(program.handlers);
  return lists.flatMap((blocks) => blocks.filter(isStartThread)).find((block) => block.id === id);
}

function isStartThread(block: Block): block is StartThreadBlock {
  return block.kind === "start-thread";
}

/** Every capability has its default. A name that no capability lists is always kept. */
function withoutDisabled(program: Program, config: ThreadConfig): ThreadConfig {
  const capabilities = Object.values(program.capabilities);
  if (capabilities.every((capability) => capability.default)) return config;
  return {
    ...config,
    tools: enabled(capabilities, config.tools, "tools"),
    mcpServers: enabled(capabilities, config.mcpServers, "mcpServers"),
    skills: enabled(capabilities, config.skills, "skills"),
  };
}

/** A name in several capabilities is kept as long as one of them is on. */
function enabled(
  capabilities: readonly CapabilitySpec[],
  names: readonly string[],
  kind: "tools" | "mcpServers" | "skills",
): string[] {
  return names.filter((name) => {
    const listing = capabilities.filter((capability) => capability[kind].includes(name));
    return listing.length === 0 || listing.some((capability) => capability.default);
  });
}
