import { type BigIntStats, lstatSync } from "node:fs";
import { chmod, opendir } from "node:fs/promises";
import { join } from "node:path";
import { nextTurn } from "@muster/large-data";
import { VolumeFullError } from "../files/load.ts";
import { VolumeError } from "../files/volume-error.ts";

/** An entry of a folder that an agent's programs have written. Nothing follows its links. */
export interface WalkedEntry {
  /** Relative to the folder. */
  path: string;
  stats: BigIntStats;
}

const entriesPerSlice = 200;

/**
 * The entries below a folder in which no program runs, parents before their children. A folder that its reader deletes has
 * none. Folders are made accessible to their owner. Throws {@link VolumeFullError} or {@link VolumeError} at a tree that a
 * computer cannot have.
 */
export async function* walk(folder: string, maxEntries: number): AsyncGenerator<WalkedEntry> {
  let count = 0;
  const waiting = [""];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for await (const name of namesIn(join(folder, next))) {
      if (++count > maxEntries)
        throw new VolumeFullError(`There are more than ${maxEntries} files and directories.`);
      const path = next === "" ? name : `${next}/${name}`;
      const stats = lstatSync(join(folder, path), { bigint: true, throwIfNoEntry: false });
      // Its bytes were replaced when its name was read.
      if (stats === undefined) throw new VolumeError("EINVAL", `a name that is not UTF-8 in ~/${next}`);
      yield { path, stats };
      if (stats.isDirectory()) waiting.push(path);
      if (count % entriesPerSlice === 0) await nextTurn();
    }
  }
}

async function* namesIn(folder: string): AsyncGenerator<string> {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  if (!stats?.isDirectory()) return;
  if ((stats.mode & 0o700) !== 0o700) await chmod(folder, (stats.mode & 0o777) | 0o700);
  for await (const { name } of await opendir(folder, { bufferSize: entriesPerSlice })) yield name;
}
