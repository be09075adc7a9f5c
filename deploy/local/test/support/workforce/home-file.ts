import { createComputers } from "@muster/computers";
import { silentLogger, systemClock } from "@muster/service";
import type { WorkforceWorld } from "./world.ts";

/** The lines of a file on an agent's computer. Nothing can run there afterwards: this takes the computer for good. */
export async function homeFile(
  { db, env }: WorkforceWorld,
  agentId: string,
  path: string,
): Promise<string[]> {
  const config = { blobsDirectory: env.BLOBS, allowedHosts: [] };
  const computers = createComputers({ db, config, clock: systemClock, log: silentLogger });
  try {
    const owner = { projectId: "default", agentId, kind: "sandbox", os: "linux" } as const;
    const computer = await computers.open(owner, 1_000_000);
    const text = await computer.readFile(path, AbortSignal.timeout(10_000));
    return new TextDecoder().decode(text).trimEnd().split("\n");
  } finally {
    await computers.close();
  }
}
