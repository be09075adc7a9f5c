import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Muster } from "@muster/client";
import { readAgentFolder } from "@muster/language/folder";

const folder = join(import.meta.dirname, "agents");

/** How many versions each agent has at the end of the week. Workers are not listed, and have one. */
export const versionsOf: Readonly<Record<string, number>> = {
  "support-desk": 4,
  "research-assistant": 3,
  "onboarding-guide": 2,
  "numbers-desk": 4,
};

/** Creates every agent, in its first version. */
export async function pushAgents(muster: Muster): Promise<void> {
  for (const slug of (await readdir(folder)).sort()) await pushVersion(muster, slug, 1);
}

/** Each version of an agent has one more rule in its prompt than the one before; the last is that of the folder. */
export async function pushVersion(muster: Muster, slug: string, version: number): Promise<void> {
  const read = await readAgentFolder(join(folder, slug));
  if (!read.ok) throw new Error(`The agent ${slug} has errors: ${JSON.stringify(read)}`);
  const { prompts = [], ...definition } = read.definition;
  const missing = (versionsOf[slug] ?? 1) - version;
  await muster.agents.push({
    ...definition,
    prompts: prompts.map(({ name, content }) => ({
      name,
      content: name === "system" ? withoutLastLines(content, missing) : content,
    })),
  });
}

function withoutLastLines(text: string, count: number): string {
  const lines = text.trimEnd().split("\n");
  return lines.slice(0, lines.length - count).join("\n");
}
