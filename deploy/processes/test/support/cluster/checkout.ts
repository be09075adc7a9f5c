import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { repository } from "../topology.ts";

/** Another version of the repository, in a folder of its own. */
export interface Checkout {
  root: string;
  /** The full hash of its commit. */
  commit: string;
  remove(): Promise<void>;
}

/** Throws a sentence for users if */
export async function checkOut(ref: string): Promise<Checkout> {
  const commit = commitOf(ref);
  const root = await mkdtemp(join(tmpdir(), "muster-version-"));
  const remove = () => rm(root, { recursive: true, force: true });
  try {
    const archive = execFileSync("git", ["archive", "--format=tar", commit], {
      cwd: repository,
      maxBuffer: 2 ** 30,
    });
    execFileSync("tar", ["-x"], { cwd: root, input: archive });
    install(root);
    return { root, commit, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

function commitOf(ref: string): string {
  try {
    return execFileSync("git", ["rev-parse", "--verify", "--quiet", `${ref}^{commit}`], {
      cwd: repository,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    throw new Error(
      `This clone has no commit ${ref}. This command needs a clone with its history (git fetch --unshallow), or another commit: --ref`,
    );
  }
}

/** The installed packages of this checkout serve if the lock files are equal; otherwise npm installs the version's own. */
function install(root: string): void {
  const lockOf = (folder: string) => readFileSync(join(folder, "package-lock.json"), "utf8");
  if (lockOf(root) !== lockOf(repository)) {
    execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
      cwd: root,
      stdio: "ignore",
    });
    return;
  }
  for (const workspace of [".", "packages/cli", "deploy/local"]) linkModules(workspace, root);
}

/** Links to workspaces are relative, and so lead to the version's own when they are copied. All else leads to this checkout. */
function linkModules(workspace: string, root: string): void {
  const from = join(repository, workspace, "node_modules");
  for (const { path, target } of modulesIn(from)) {
    const link = resolve(root, workspace, "node_modules", path);
    mkdirSync(join(link, ".."), { recursive: true });
    symlinkSync(target ?? join(from, path), link);
  }
}

/** The packages in a folder, with the target of those that are links. */
function modulesIn(folder: string, scope = ""): Array<{ path: string; target: string | undefined }> {
  return entriesOf(join(folder, scope)).flatMap((entry) => {
    const path = join(scope, entry.name);
    if (entry.name.startsWith("@") && scope === "") return modulesIn(folder, path);
    const target = entry.isSymbolicLink() ? readlinkSync(join(folder, path)) : undefined;
    return [{ path, target }];
  });
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true }).filter(({ name }) => !name.startsWith("."));
  } catch {
    return [];
  }
}
