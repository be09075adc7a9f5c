import { defaultVolumeLimits, type VolumeLimits } from "./limits.ts";
import {
  type DirectoryNode,
  directoryMode,
  type FileNode,
  fileMode,
  type LinkNode,
  linkMode,
  newDirectory,
  type VolumeNode,
} from "./node.ts";
import { checkNewPath, joinNames, splitPath } from "./paths.ts";
import { VolumeError, type VolumeErrorCode } from "./volume-error.ts";

const maxLinksFollowed = 40;

/** Where a path leads: the names without symbolic links, and the entry there, if it exists. */
interface Place {
  names: string[];
  parent: DirectoryNode;
  node: VolumeNode | undefined;
}

/** An entry with all below it at one moment: a directory that is copied onto its parent gets entries meanwhile. */
interface Tree {
  node: VolumeNode;
  children: [name: string, tree: Tree][];
}

/**
 * The file system of a computer in memory, as a tree. It knows the sizes of files whose content has not been loaded. Every change
 * keeps to the limits, and an operation that fails changes nothing.
 */
export class Volume {
  readonly root: DirectoryNode;
  readonly #limits: VolumeLimits;
  readonly #now: () => number;
  #bytes = 0;
  #entries = 0;

  constructor(now: () => number, limits: VolumeLimits = defaultVolumeLimits) {
    this.#now = now;
    this.#limits = limits;
    this.root = newDirectory(now());
  }

  /** Bytes in all files. */
  get bytes(): number {
    return this.#bytes;
  }

  get entries(): number {
    return this.#entries;
  }

  /** From now on, these entries at the top do not count towards the limits, nor does what is below them. */
  exempt(isExempt: (path: string) => boolean): void {
    for (const [name, node] of this.root.children) {
      if (!isExempt(`/${name}`)) continue;
      const below = entriesBelow(node);
      this.#entries -= below.length;
      for (const entry of below) if (entry.type === "file") this.#bytes -= entry.size;
    }
  }

  /** The entry at a path; undefined if there is none. */
  find(path: string, { followLast = true } = {}): VolumeNode | undefined {
    try {
      return this.#place(path, followLast).node;
    } catch (error) {
      if (error instanceof VolumeError && (error.code === "ENOENT" || error.code === "ENOTDIR"))
        return undefined;
      throw error;
    }
  }

  get(path: string, { followLast = true } = {}): VolumeNode {
    return this.#place(path, followLast).node ?? fail("ENOENT", path);
  }

  file(path: string): FileNode {
    const node = this.get(path);
    if (node.type === "directory") throw new VolumeError("EISDIR", path);
    if (node.type !== "file") throw new VolumeError("ENOENT", path);
    return node;
  }

  directory(path: string): DirectoryNode {
    const node = this.get(path);
    if (node.type !== "directory") throw new VolumeError("ENOTDIR", path);
    return node;
  }

  /** The path without symbolic links. */
  realPath(path: string): string {
    const place = this.#place(path, true);
    if (place.node === undefined) throw new VolumeError("ENOENT", path);
    return joinNames(place.names);
  }

  /** Replaces the content of a file, or creates it with its parent directories. Keeps `bytes`: pass a copy. */
  write(
    path: string,
    bytes: Uint8Array,
    { mode, mtimeMs }: { mode?: number; mtimeMs?: number } = {},
  ): FileNode {
    const file = this.#fileToWrite(path, bytes.length);
    this.#resize(file, bytes.length, path);
    file.bytes = bytes;
    file.stored = undefined;
    file.mtimeMs = mtimeMs ?? this.#now();
    if (mode !== undefined) file.mode = mode;
    return file;
  }

  /** Refuses a path at which no file can be. */
  checkFile(path: string): void {
    const node = this.find(path);
    if (node?.type === "directory") throw new VolumeError("EISDIR", path);
    checkNewPath(splitPath(path));
  }

  /** Refuses a file of this size at the path if the volume would be too full. */
  checkRoom(path: string, size: number): void {
    const node = this.find(path);
    this.#roomFor(size - (node?.type === "file" ? node.size : 0), path);
  }

  /** Adds a file whose content is stored, or replaces one, whatever its size. */
  writeStored(path: string, { blob, size, mode, mtimeMs }: StoredFile): void {
    const file = this.#fileToWrite(path, 0);
    this.#bytes += size - file.size;
    file.size = size;
    file.mode = mode;
    file.mtimeMs = mtimeMs;
    file.bytes = undefined;
    file.stored = { blob, size };
  }

  /** The content of `file` must be loaded. Grows by doubling, so that many short appends cost no more than one long. */
  append(path: string, file: FileNode, more: Uint8Array): void {
    const bytes = loaded(file);
    const size = file.size + more.length;
    this.#resize(file, size, path);
    let room = bytes;
    if (size > bytes.length) {
      room = new Uint8Array(Math.max(size, Math.min(bytes.length * 2, bytes.length + (16 << 20))));
      room.set(bytes.subarray(0, size - more.length));
    }
    room.set(more, size - more.length);
    file.bytes = room;
    file.stored = undefined;
    file.mtimeMs = this.#now();
  }

  makeDirectory(path: string, { recursive = false, mode = directoryMode } = {}): void {
    const place = this.#place(path, true, recursive);
    if (place.node !== undefined) {
      if (recursive && place.node.type === "directory") return;
      throw new VolumeError("EEXIST", path);
    }
    this.#add(place, newDirectory(this.#now(), mode));
  }

  link(target: string, path: string): void {
    if (target.includes("\0") || Buffer.byteLength(target) > 1_024) throw new VolumeError("EINVAL", path);
    const place = this.#place(path, false);
    if (place.node !== undefined) throw new VolumeError("EEXIST", path);
    const link: LinkNode = {
      type: "symlink",
      mode: linkMode,
      mtimeMs: this.#now(),
      target: target.toWellFormed(),
    };
    this.#add(place, link);
  }

  /** Another name of the same file. */
  hardLink(existing: string, path: string): void {
    const node = this.get(existing, { followLast: false });
    if (node.type !== "file") throw new VolumeError("EPERM", existing);
    const place = this.#place(path, false);
    if (place.node !== undefined) throw new VolumeError("EEXIST", path);
    this.#add(place, node);
    node.links++;
  }

  remove(path: string, { recursive = false } = {}): void {
    const place = this.#place(path, false);
    if (place.node === undefined) throw new VolumeError("ENOENT", path);
    if (place.names.length === 0) throw new VolumeError("EPERM", path);
    if (place.node.type === "directory" && place.node.children.size > 0 && !recursive) {
      throw new VolumeError("ENOTEMPTY", path);
    }
    this.#detach(place);
    this.#forget(place.node);
  }

  /** Like `rename(2)`: replaces a file, or an empty directory, at the destination. */
  move(source: string, destination: string): void {
    const from = this.#place(source, false);
    const node = from.node ?? fail("ENOENT", source);
    const to = this.#place(destination, false);
    if (to.node === node) return;
    if (from.names.length === 0 || startsWith(to.names, from.names))
      throw new VolumeError("EINVAL", destination);
    if (node.type === "directory" && to.node !== undefined && to.node.type !== "directory") {
      throw new VolumeError("ENOTDIR", destination);
    }
    if (to.node?.type === "directory") {
      if (node.type !== "directory") throw new VolumeError("EISDIR", destination);
      if (to.node.children.size > 0) throw new VolumeError("ENOTEMPTY", destination);
    }
    checkTreePaths(to.names, node);
    if (to.node !== undefined) {
      this.#detach(to);
      this.#forget(to.node);
    }
    this.#detach(from);
    this.#attach(to, node);
  }

  /** The copies share the content of their sources until one of them changes. */
  copy(source: string, destination: string, { recursive = false } = {}): void {
    const from = this.#place(source, false);
    const node = from.node ?? fail("ENOENT", source);
    if (node.type === "directory" && !recursive) throw new VolumeError("EISDIR", source);
    const to = this.#place(destination, false, true);
    if (to.node === node) return;
    if (node.type === "directory" && startsWith(to.names, from.names))
      throw new VolumeError("EINVAL", destination);
    this.#copyInto(treeOf(node), to, destination);
  }

  #copyInto({ node, children }: Tree, to: Place, path: string): void {
    if (node.type === "directory") {
      const merged = to.node ?? this.#add(to, newDirectory(node.mtimeMs, node.mode));
      if (merged.type !== "directory") throw new VolumeError("ENOTDIR", path);
      for (const [name, child] of children) {
        const place = { names: [...to.names, name], parent: merged, node: merged.children.get(name) };
        this.#copyInto(child, place, `${path}/${name}`);
      }
      return;
    }
    if (to.node?.type === "directory") throw new VolumeError("EISDIR", path);
    if (node.type === "file")
      this.#roomFor(node.size - (to.node?.type === "file" && to.node.links === 1 ? to.node.size : 0), path);
    if (to.node !== undefined) {
      this.#detach(to);
      this.#forget(to.node);
    }
    if (node.type === "symlink") {
      this.#add(to, { ...node });
      return;
    }
    // Bytes below a file's size never change in place, so both may have them. The copy has no room behind: it grows elsewhere.
    const bytes = node.bytes?.subarray(0, node.size);
    this.#add(to, { ...node, bytes, links: 1 });
    this.#bytes += node.size;
  }

  #fileToWrite(path: string, size: number): FileNode {
    const place = this.#place(path, true, true);
    if (place.node?.type === "directory") throw new VolumeError("EISDIR", path);
    if (place.node?.type === "file") return place.node;
    this.#roomFor(size, path);
    const file: FileNode = {
      type: "file",
      mode: fileMode,
      mtimeMs: this.#now(),
      links: 1,
      size: 0,
      bytes: new Uint8Array(0),
      stored: undefined,
    };
    this.#add(place, file);
    return file;
  }

  #resize(file: FileNode, size: number, path: string): void {
    this.#roomFor(size - file.size, path);
    this.#bytes += size - file.size;
    file.size = size;
  }

  #roomFor(more: number, path: string): void {
    if (more > 0 && this.#bytes + more > this.#limits.maxBytes) throw new VolumeError("ENOSPC", path);
  }

  /** Follows symbolic links on the way and, if wanted, the last one; creates missing parents, if wanted. */
  #place(path: string, followLast: boolean, createParents = false): Place {
    let waiting = splitPath(path).reverse();
    let names: string[] = [];
    const chain: DirectoryNode[] = [this.root];
    let followed = 0;
    for (;;) {
      const name = waiting.pop();
      const here = chain.at(-1) ?? this.root;
      if (name === undefined) return { names, parent: chain.at(-2) ?? this.root, node: here };
      if (name === "..") {
        names.pop();
        if (chain.length > 1) chain.pop();
        continue;
      }
      const node = here.children.get(name);
      const isLast = waiting.length === 0;
      if (node?.type === "symlink" && (!isLast || followLast)) {
        if (++followed > maxLinksFollowed) throw new VolumeError("ELOOP", path);
        if (node.target.startsWith("/")) {
          names = [];
          chain.length = 1;
        }
        waiting = [...waiting, ...linkNames(node.target).reverse()];
        continue;
      }
      if (isLast && node?.type !== "directory") return { names: [...names, name], parent: here, node };
      if (node === undefined) {
        if (!createParents) throw new VolumeError("ENOENT", path);
        const created = this.#add(
          { names: [...names, name], parent: here, node: undefined },
          newDirectory(this.#now()),
        );
        chain.push(created);
      } else if (node.type === "directory") {
        chain.push(node);
      } else {
        throw new VolumeError("ENOTDIR", path);
      }
      names.push(name);
    }
  }

  #add<N extends VolumeNode>(place: Place, node: N): N {
    checkNewPath(place.names);
    if (this.#entries >= this.#limits.maxEntries) throw new VolumeError("ENOSPC", joinNames(place.names));
    this.#attach(place, node);
    this.#entries++;
    return node;
  }

  #attach({ names, parent }: Place, node: VolumeNode): void {
    const name = names.at(-1);
    if (name === undefined) throw new VolumeError("EEXIST", "/");
    parent.children.set(name, node);
    parent.mtimeMs = this.#now();
  }

  #detach({ names, parent }: Place): void {
    parent.children.delete(names.at(-1) ?? "");
    parent.mtimeMs = this.#now();
  }

  /** Takes a removed entry and everything below it out of the counts. */
  #forget(node: VolumeNode): void {
    for (const entry of entriesBelow(node)) {
      this.#entries--;
      if (entry.type === "file" && --entry.links === 0) this.#bytes -= entry.size;
    }
  }
}

/** A file whose content is stored. */
export interface StoredFile {
  mode: number;
  mtimeMs: number;
  size: number;
  blob: string;
}

/** The bytes of a file whose content has been loaded. */
export function contentOf(file: FileNode): Uint8Array {
  return loaded(file).subarray(0, file.size);
}

function loaded(file: FileNode): Uint8Array {
  if (file.bytes === undefined) throw new Error("the content of this file has not been loaded");
  return file.bytes;
}

function treeOf(node: VolumeNode): Tree {
  const children = node.type === "directory" ? [...node.children] : [];
  return { node, children: children.map(([name, child]) => [name, treeOf(child)]) };
}

/** The entry itself, too. */
function entriesBelow(node: VolumeNode): VolumeNode[] {
  const found = [node];
  for (let at = 0; at < found.length; at++) {
    const entry = found[at];
    if (entry?.type === "directory") for (const child of entry.children.values()) found.push(child);
  }
  return found;
}

function fail(code: VolumeErrorCode, path: string): never {
  throw new VolumeError(code, path);
}

/** Unlike {@link splitPath}, keeps `..`: it goes up from where earlier links led. */
function linkNames(target: string): string[] {
  return target.split("/").filter((name) => name !== "" && name !== ".");
}

function startsWith(names: readonly string[], prefix: readonly string[]): boolean {
  return prefix.every((name, at) => names[at] === name);
}

function checkTreePaths(names: readonly string[], node: VolumeNode): void {
  const waiting: [readonly string[], VolumeNode][] = [[names, node]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [path, entry] = next;
    checkNewPath(path);
    if (entry.type !== "directory") continue;
    for (const [name, child] of entry.children) waiting.push([[...path, name], child]);
  }
}
