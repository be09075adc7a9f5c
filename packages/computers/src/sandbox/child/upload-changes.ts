import { createHash } from "node:crypto";
import { blobName, hashInName } from "../../files/blob-name.ts";
import { writeManifest } from "../../files/manifest.ts";
import type { VolumeNode } from "../../files/node.ts";
import { contentOf, type Volume } from "../../files/volume.ts";
import type { Channel } from "./open-channel.ts";

const systemPaths = ["/bin", "/dev", "/proc", "/usr"];

/** Made again for each command, and never stored: the shell's programs and devices. */
export function isSystemPath(path: string): boolean {
  return systemPaths.some((prefix) => path === prefix || path.startsWith(`${prefix}/`));
}

/** Sends the changes: contents that are not stored yet, and the new manifest if it differs from `before`. */
export function uploadChanges(
  channel: Channel,
  volume: Volume,
  before: Buffer,
  stored: Iterable<string>,
  epoch: number,
): void {
  const known = new Map([...stored].map((name) => [hashInName(name), name]));
  for (const node of nodesOf(volume)) {
    if (node.type !== "file" || node.stored !== undefined) continue;
    const content = contentOf(node);
    const hash = createHash("sha256").update(content).digest("hex");
    let blob = known.get(hash);
    if (blob === undefined) {
      channel.upload(content);
      blob = blobName(hash, epoch);
      known.set(hash, blob);
    }
    node.stored = { blob, size: node.size };
  }
  const manifest = Buffer.from([...writeManifest(volume, isSystemPath)].join(""));
  if (!manifest.equals(before)) channel.manifest(manifest);
}

function* nodesOf(volume: Volume): Generator<VolumeNode> {
  const waiting: VolumeNode[] = [];
  for (const [name, node] of volume.root.children) if (!isSystemPath(`/${name}`)) waiting.push(node);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    yield next;
    if (next.type === "directory") waiting.push(...next.children.values());
  }
}
