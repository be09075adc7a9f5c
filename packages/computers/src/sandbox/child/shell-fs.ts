import type { CpOptions, FileContent, FsStat, IFileSystem, MkdirOptions, RmOptions } from "just-bash";
import type { FileNode, VolumeNode } from "../../files/node.ts";
import { absolutePath, joinNames } from "../../files/paths.ts";
import { contentOf, type Volume } from "../../files/volume.ts";
import { VolumeError } from "../../files/volume-error.ts";

type DirectoryEntries = Awaited<ReturnType<NonNullable<IFileSystem["readdirWithFileTypes"]>>>;
type Encoding = { encoding?: string | null } | string | undefined;

/** Output that is written to these paths is shown at once. They do not exist otherwise. */
export const streamPaths = { stdout: "/dev/.stream/stdout", stderr: "/dev/.stream/stderr" } as const;

export interface ShellFsOptions {
  volume: Volume;
  /** The content of a stored file. */
  load(blob: string): Uint8Array;
  output(stream: "stdout" | "stderr", text: string): void;
}

/** A volume as the file system of the shell. Contents are loaded when a command first reads them. */
export class ShellFs implements IFileSystem {
  readonly #volume: Volume;
  readonly #load: (blob: string) => Uint8Array;
  readonly #output: (stream: "stdout" | "stderr", text: string) => void;
  readonly #identities = new WeakMap<VolumeNode, string>();
  #lastIdentity = 0;

  constructor({ volume, load, output }: ShellFsOptions) {
    this.#volume = volume;
    this.#load = load;
    this.#output = output;
  }

  async readFile(path: string, options?: Encoding): Promise<string> {
    return Buffer.from(this.#read(path)).toString(encodingOf(options));
  }

  async readFileBuffer(path: string): Promise<Uint8Array> {
    return this.#read(path);
  }

  async writeFile(path: string, content: FileContent, options?: Encoding): Promise<void> {
    this.writeFileSync(path, content, options);
  }

  writeFileSync(path: string, content: FileContent, options?: Encoding): void {
    if (this.#isStream(path, content) || path === "/dev/null") return;
    this.#volume.write(path, bytesOf(content, options));
  }

  async appendFile(path: string, content: FileContent, options?: Encoding): Promise<void> {
    if (this.#isStream(path, content) || path === "/dev/null") return;
    const file = this.#volume.find(path);
    if (file?.type !== "file") this.writeFileSync(path, content, options);
    else this.#volume.append(path, this.#loaded(file), bytesOf(content, options));
  }

  async exists(path: string): Promise<boolean> {
    try {
      return this.#volume.find(path) !== undefined;
    } catch {
      return false;
    }
  }

  async stat(path: string): Promise<FsStat> {
    return this.#stat(this.#volume.get(path));
  }

  async lstat(path: string): Promise<FsStat> {
    return this.#stat(this.#volume.get(path, { followLast: false }));
  }

  async mkdir(path: string, options?: MkdirOptions): Promise<void> {
    this.mkdirSync(path, options);
  }

  mkdirSync(path: string, options?: MkdirOptions): void {
    this.#volume.makeDirectory(path, { recursive: options?.recursive ?? false });
  }

  async readdir(path: string): Promise<string[]> {
    return [...this.#volume.directory(path).children.keys()].sort();
  }

  async readdirWithFileTypes(path: string): Promise<DirectoryEntries> {
    const { children } = this.#volume.directory(path);
    return [...children.keys()].sort().map((name) => {
      const type = children.get(name)?.type;
      return {
        name,
        isFile: type === "file",
        isDirectory: type === "directory",
        isSymbolicLink: type === "symlink",
      };
    });
  }

  async rm(path: string, options?: RmOptions): Promise<void> {
    if (options?.force && this.#volume.find(path, { followLast: false }) === undefined) return;
    this.#volume.remove(path, { recursive: options?.recursive ?? false });
  }

  async cp(source: string, destination: string, options?: CpOptions): Promise<void> {
    this.#volume.copy(source, destination, { recursive: options?.recursive ?? false });
  }

  async mv(source: string, destination: string): Promise<void> {
    this.#volume.move(source, destination);
  }

  resolvePath(base: string, path: string): string {
    return absolutePath(base, path);
  }

  getAllPaths(): string[] {
    const paths: string[] = [];
    const waiting: [string[], VolumeNode][] = [[[], this.#volume.root]];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const [names, node] = next;
      paths.push(joinNames(names));
      if (node.type !== "directory") continue;
      for (const [name, child] of node.children) waiting.push([[...names, name], child]);
    }
    return paths;
  }

  async chmod(path: string, mode: number): Promise<void> {
    this.#volume.get(path).mode = mode & 0o7777;
  }

  async symlink(target: string, path: string): Promise<void> {
    this.#volume.link(target, path);
  }

  async link(existing: string, path: string): Promise<void> {
    this.#volume.hardLink(existing, path);
  }

  async readlink(path: string): Promise<string> {
    const node = this.#volume.get(path, { followLast: false });
    if (node.type !== "symlink") throw new VolumeError("EINVAL", path);
    return node.target;
  }

  async realpath(path: string): Promise<string> {
    return this.#volume.realPath(path);
  }

  async utimes(path: string, _accessed: Date, modified: Date): Promise<void> {
    const mtimeMs = modified.getTime();
    if (!Number.isFinite(mtimeMs)) throw new VolumeError("EINVAL", path);
    this.#volume.get(path).mtimeMs = mtimeMs;
  }

  #isStream(path: string, content: FileContent): boolean {
    const stream =
      path === streamPaths.stdout ? "stdout" : path === streamPaths.stderr ? "stderr" : undefined;
    if (stream === undefined) return false;
    if (content.length > 0)
      this.#output(stream, typeof content === "string" ? shownText(content) : textOf(content));
    return true;
  }

  #read(path: string): Uint8Array {
    return contentOf(this.#loaded(this.#volume.file(path)));
  }

  #loaded(file: FileNode): FileNode {
    if (file.bytes === undefined && file.stored !== undefined) file.bytes = this.#load(file.stored.blob);
    return file;
  }

  #stat(node: VolumeNode): FsStat {
    return {
      isFile: node.type === "file",
      isDirectory: node.type === "directory",
      isSymbolicLink: node.type === "symlink",
      mode: node.mode,
      size: node.type === "file" ? node.size : node.type === "symlink" ? Buffer.byteLength(node.target) : 0,
      mtime: new Date(node.mtimeMs),
      identity: this.#identity(node),
    };
  }

  #identity(node: VolumeNode): string {
    const known = this.#identities.get(node);
    if (known !== undefined) return known;
    const identity = `volume:${++this.#lastIdentity}`;
    this.#identities.set(node, identity);
    return identity;
  }
}

function bytesOf(content: FileContent, options: Encoding): Uint8Array {
  return typeof content === "string" ? Buffer.from(content, encodingOf(options)) : Uint8Array.from(content);
}

function encodingOf(options: Encoding): BufferEncoding {
  const name = typeof options === "string" ? options : (options?.encoding ?? "utf8");
  if (!Buffer.isEncoding(name)) throw new Error(`the encoding ${name} is not known`);
  return name;
}

/** The shell's strings are text, or bytes as Latin-1. As the shell itself does at its end, take them for UTF-8 if they are. */
export function shownText(text: string): string {
  let hasHighByte = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > 0xff) return text.toWellFormed();
    hasHighByte ||= code > 0x7f;
  }
  return hasHighByte ? textOf(Buffer.from(text, "latin1"), text) : text;
}

const strictUtf8 = new TextDecoder("utf-8", { fatal: true });

function textOf(bytes: Uint8Array, otherwise?: string): string {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    return otherwise ?? Buffer.from(bytes).toString("latin1");
  }
}
