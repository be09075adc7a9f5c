import { execFile } from "node:child_process";
import { type BigIntStats, constants, lstatSync, readlinkSync } from "node:fs";
import { chmod, lchown, lutimes, mkdir, open, rm, symlink, unlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { nextTurn } from "@muster/large-data";
import { homeDirectory, type VolumeLimits } from "../files/limits.ts";
import { loadVolume, saveVolume, VolumeFullError } from "../files/load.ts";
import { addEntries, type ManifestEntry, readManifest } from "../files/manifest.ts";
import { VolumeError } from "../files/volume-error.ts";
import { createUploads } from "../sandbox/uploads.ts";
import type { BlobStore } from "../store/blob-store.ts";
import { type WalkedEntry, walk } from "./walk.ts";

/** The file had this content when its number, size and time of change were these. No program can set that time. */
interface KnownFile {
  fingerprint: string;
  blob: string;
}

export interface CollectOptions {
  blobs: BlobStore;
  epoch: number;
  limits: VolumeLimits;
  now(): number;
  signal: AbortSignal;
}

const bytesPerRead = 256 * 1024;
const prefix = `${homeDirectory}/`;

/**
 * The home directory of one computer as a folder of this machine, for its programs. The manifest is the truth: before a command
 * the folder is made to match the manifest, and after it a new manifest is made of the folder. Both read every entry, and
 * read or write only the contents that differ. No program of the computer may run meanwhile, so nothing moves below the walk.
 */
export class WorkingCopy {
  readonly #folder: string;
  readonly #uid: number | undefined;
  #known = new Map<string, KnownFile>();
  /** The folder's manifest; undefined if a command may have changed it since. */
  #manifest: Uint8Array | undefined;

  /** `uid`: the owner of the files; undefined if it is this process. */
  constructor(folder: string, uid: number | undefined) {
    this.#folder = folder;
    this.#uid = uid;
  }

  /** Makes the folder match the manifest. */
  async bring(manifest: Uint8Array, blobs: BlobStore, { maxEntries }: VolumeLimits): Promise<void> {
    if (this.#manifest !== undefined && Buffer.compare(this.#manifest, manifest) === 0) return;
    this.#manifest = undefined;
    const wanted = await homeEntries(manifest);
    const kept = await this.#removeOthers(wanted, maxEntries).catch(async () => {
      // Too many files, odd names, folders that cannot be deleted: nothing of it is needed.
      await this.wipe();
      return new Set<string>();
    });
    await this.#makeFolder();
    for (const [path, entry] of wanted) if (!kept.has(path)) await this.#create(path, entry, blobs);
    // Last, because what is created in a directory changes its time.
    for (const [path, entry] of wanted)
      if (entry.type === "directory")
        await lutimes(this.#at(path), entry.mtimeMs / 1_000, entry.mtimeMs / 1_000);
    this.#manifest = manifest;
  }

  /** A command may change the folder from now on. */
  release(): void {
    this.#manifest = undefined;
  }

  /** The manifest of the folder, with the entries of `before` that are not below the home directory; contents are on disk. */
  async collect(before: Uint8Array, options: CollectOptions): Promise<Uint8Array> {
    const { limits, now, signal } = options;
    const files = await this.#filesWithin(limits);
    const blobs = await this.#store(files, options);
    signal.throwIfAborted();
    const volume = await loadVolume(new Uint8Array(0), now, limits);
    for (const entries of readManifest(before))
      addEntries(
        volume,
        entries.filter(({ path }) => !path.startsWith(prefix)),
      );
    for (const [index, { path, stats }] of files.entries()) {
      addEntries(volume, [this.#entryOf(path, stats, blobs.get(path) ?? "")]);
      // An entry takes as long as its path is deep.
      if (index % 50 === 0) await nextTurn();
    }
    const manifest = await saveVolume(volume);
    this.#manifest = manifest;
    return manifest;
  }

  /** Deletes the folder. In a process of its own, because there may be millions of files, or folders that are read-only. */
  async wipe(): Promise<void> {
    this.#known.clear();
    this.#manifest = undefined;
    const script = '[ ! -d "$0" ] || { chmod -R u+rwx "$0"; rm -rf "$0"; }';
    await promisify(execFile)("/bin/sh", ["-c", script, this.#folder], { env: {} });
  }

  #at(path: string): string {
    return join(this.#folder, path);
  }

  async #makeFolder(): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    await chmod(this.#folder, 0o700);
    await this.#own(this.#folder);
  }

  async #own(path: string): Promise<void> {
    if (this.#uid !== undefined) await lchown(path, this.#uid, this.#uid);
  }

  /** Returns the paths that are as wanted. */
  async #removeOthers(wanted: ReadonlyMap<string, ManifestEntry>, maxEntries: number): Promise<Set<string>> {
    const kept = new Set<string>();
    const known = new Map<string, KnownFile>();
    for await (const { path, stats } of walk(this.#folder, maxEntries)) {
      const entry = wanted.get(path);
      const file = this.#known.get(path);
      if (entry === undefined || !isSame(this.#at(path), entry, stats, file)) {
        await rm(this.#at(path), { recursive: true, force: true });
        continue;
      }
      kept.add(path);
      if (file !== undefined) known.set(path, file);
    }
    this.#known = known;
    return kept;
  }

  async #create(path: string, entry: ManifestEntry, blobs: BlobStore): Promise<void> {
    const target = this.#at(path);
    const seconds = entry.mtimeMs / 1_000;
    if (entry.type === "directory") {
      await mkdir(target, { recursive: true });
      await this.#own(target);
      await chmod(target, (entry.mode & 0o777) | 0o700);
      return;
    }
    if (entry.type === "symlink") {
      await symlink(entry.target, target);
      await this.#own(target);
      await lutimes(target, seconds, seconds);
      return;
    }
    const file = await open(target, "wx", 0o600);
    try {
      for await (const chunk of blobs.read(entry.blob)) await file.writeFile(chunk);
      if (this.#uid !== undefined) await file.chown(this.#uid, this.#uid);
      await file.chmod((entry.mode & 0o777) | 0o400);
      await file.utimes(seconds, seconds);
    } finally {
      await file.close();
    }
    const fingerprint = fingerprintOf(lstatSync(target, { bigint: true }));
    this.#known.set(path, { fingerprint, blob: entry.blob });
  }

  /** The entries that are kept: no sockets, FIFOs and devices. */
  async #filesWithin({ maxBytes, maxEntries }: VolumeLimits): Promise<WalkedEntry[]> {
    const found: WalkedEntry[] = [];
    const counted = new Set<bigint>();
    let bytes = 0;
    for await (const entry of walk(this.#folder, maxEntries)) {
      const { path, stats } = entry;
      if (!stats.isFile() && !stats.isDirectory() && !stats.isSymbolicLink()) {
        await unlink(this.#at(path));
        continue;
      }
      found.push(entry);
      if (!stats.isFile() || counted.has(stats.ino)) continue;
      counted.add(stats.ino);
      bytes += Number(stats.size);
      if (bytes > maxBytes)
        throw new VolumeFullError(`The files have more than ${maxBytes / 1024 / 1024} MiB.`);
    }
    return found;
  }

  /** Stores the contents that have changed. Returns the names of all. */
  async #store(found: readonly WalkedEntry[], { blobs, epoch, signal }: CollectOptions) {
    const names = new Map<string, string>();
    const known = new Map<string, KnownFile>();
    const uploads = createUploads(blobs, epoch);
    try {
      for (const { path, stats } of found) {
        if (!stats.isFile()) continue;
        signal.throwIfAborted();
        const before = this.#known.get(path);
        const note = (blob: string, fingerprint: string) => {
          names.set(path, blob);
          known.set(path, { fingerprint, blob });
        };
        if (before?.fingerprint === fingerprintOf(stats)) note(before.blob, before.fingerprint);
        else {
          const fingerprint = await this.#upload(path, uploads);
          await uploads.next((blob) => note(blob, fingerprint));
        }
      }
      await uploads.end();
    } finally {
      await uploads.drop();
    }
    this.#known = known;
    return names;
  }

  async #upload(path: string, uploads: ReturnType<typeof createUploads>): Promise<string> {
    const target = this.#at(path);
    const { mode } = lstatSync(target);
    if ((mode & 0o400) === 0) await chmod(target, (mode & 0o777) | 0o400);
    const file = await open(target, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stats = await file.stat({ bigint: true });
      if (!stats.isFile()) throw new VolumeError("EINVAL", `${prefix}${path}`);
      for (;;) {
        const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(bytesPerRead), 0, bytesPerRead);
        if (bytesRead === 0) break;
        await uploads.add(buffer.subarray(0, bytesRead));
      }
      return fingerprintOf(stats);
    } finally {
      await file.close();
    }
  }

  #entryOf(path: string, stats: BigIntStats, blob: string): ManifestEntry {
    const common = { path: `${prefix}${path}`, mode: Number(stats.mode & 0o777n), mtimeMs: mtimeOf(stats) };
    if (stats.isDirectory()) return { type: "directory", ...common };
    if (stats.isFile()) return { type: "file", ...common, size: Number(stats.size), blob };
    return { type: "symlink", ...common, target: readlinkSync(this.#at(path)) };
  }
}

/** The manifest's entries below the home directory, by their paths there. */
async function homeEntries(manifest: Uint8Array): Promise<Map<string, ManifestEntry>> {
  const found = new Map<string, ManifestEntry>();
  // A new computer has its layout, too.
  const complete =
    manifest.length > 0 ? manifest : await saveVolume(await loadVolume(manifest, Date.now, unlimited));
  for (const entries of readManifest(complete)) {
    for (const entry of entries)
      if (entry.path.startsWith(prefix)) found.set(entry.path.slice(prefix.length), entry);
    await nextTurn();
  }
  return found;
}

const unlimited: VolumeLimits = { maxBytes: Infinity, maxEntries: Infinity };

function isSame(
  path: string,
  entry: ManifestEntry,
  stats: BigIntStats,
  known: KnownFile | undefined,
): boolean {
  if (entry.type === "symlink") return stats.isSymbolicLink() && readlinkSync(path) === entry.target;
  const mode = Number(stats.mode & 0o777n);
  if (entry.type === "directory") return stats.isDirectory() && mode === ((entry.mode & 0o777) | 0o700);
  const isKnown = known?.blob === entry.blob && known.fingerprint === fingerprintOf(stats);
  return isKnown && mode === ((entry.mode & 0o777) | 0o400) && mtimeOf(stats) === Math.round(entry.mtimeMs);
}

/** In whole milliseconds, which survive being set. */
function mtimeOf({ mtimeNs }: BigIntStats): number {
  return Math.round(Number(mtimeNs / 1_000n) / 1_000);
}

function fingerprintOf({ ino, size, ctimeNs }: BigIntStats): string {
  return `${ino} ${size} ${ctimeNs}`;
}
