import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, lstat, mkdir, realpath, symlink } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { type Instruction, readDockerfile, type Stage } from "../../src/dockerfile.ts";

const execute = promisify(execFile);
export const repository = resolve(import.meta.dirname, "../../../..");
export const dockerfile = join(repository, "deploy/docker/Dockerfile");

export interface BuildOptions {
  /** An empty folder for everything that the build makes. */
  scratch: string;
  /** The folder that is built. */
  context: string;
  /** Stages that are already built: the folder that `COPY --from` gets, whatever its path in the stage. */
  ready?: Readonly<Record<string, string>>;
}

/**
 * Builds the image without a container daemon: runs the commands of the Dockerfile, each stage in a folder that
 * replaces its root directory. Returns the folder of the last stage, and the output of the commands.
 */
export async function buildImage({ scratch, context, ready = {} }: BuildOptions) {
  let output = "";
  const stages = readDockerfile(dockerfile).filter(({ name }) => isBuilt(name, ready));
  for (const stage of stages) {
    const root = rootOf(scratch, stage);
    await mkdir(root, { recursive: true });
    for (const instruction of stage.instructions) {
      if (instruction.keyword === "COPY") await copy(instruction, root, { scratch, context, ready });
      if (instruction.keyword === "RUN") output += await run(instruction, root);
    }
  }
  return { root: join(scratch, "image"), output };
}

/** Stages that only lead to a ready one are left out. */
function isBuilt(name: string | undefined, ready: BuildOptions["ready"] = {}): boolean {
  return name === undefined || name === "product" || Object.keys(ready).length === 0;
}

function rootOf(scratch: string, { name = "image" }: Pick<Stage, "name">): string {
  return join(scratch, name);
}

/** Links folders instead of copying them; the commands see no difference. */
async function copy(
  { flags, words: [source = "", target = ""] }: Instruction,
  root: string,
  { scratch, context, ready = {} }: BuildOptions,
): Promise<void> {
  const stage = flags.get("from");
  const from =
    stage === undefined
      ? join(context, source)
      : (ready[stage] ?? join(rootOf(scratch, { name: stage }), source));
  const to = join(root, target);
  await mkdir(dirname(to), { recursive: true });
  // Docker merges folders.
  if (existsSync(to)) {
    if ((await realpath(to)) !== (await realpath(from))) await cp(from, to, { recursive: true });
    return;
  }
  if ((await lstat(from)).isFile()) await cp(from, to);
  else await symlink(from, to);
}

async function run({ rest }: Instruction, root: string): Promise<string> {
  const command = rest.replace(/(^|\s)\/(?=\w)/g, `$1${root}/`);
  const env = {
    ...process.env,
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    // Docker's name of the processor.
    TARGETARCH: process.arch === "x64" ? "amd64" : process.arch,
  };
  const { stdout } = await execute("/bin/sh", ["-euc", command], { cwd: root, env, maxBuffer: 64 << 20 });
  return stdout;
}

/** Copies the files that git tracks, as a build in a clean checkout gets them. */
export async function copyTrackedFiles(target: string): Promise<void> {
  await mkdir(target, { recursive: true });
  const pipe = 'git ls-files -z | tar --create --null --files-from=- | tar --extract --directory "$1"';
  await execute("/bin/sh", ["-euc", pipe, "sh", target], { cwd: repository, maxBuffer: 64 << 20 });
}
