// Fails if proto/ breaks callers of the main branch (`buf breaking`). The base is the commit where this branch left
// origin/main or, on main itself, the previous commit. For an intended break, the message of a commit since then
// has a line `Proto-Breaking: <why>`.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const baseline = findBaseline();
if (baseline === undefined) {
  console.log("proto/ has no baseline to compare with: this clone has no earlier commit");
} else {
  check(baseline);
}

function findBaseline() {
  const head = git("rev-parse", "HEAD");
  if (head === undefined) return undefined;
  const candidates = [git("merge-base", "HEAD", "origin/main"), git("rev-parse", "--verify", "HEAD~1")];
  return candidates.find((commit) => commit !== undefined && commit !== head && holdsProto(commit));
}

function holdsProto(commit) {
  return git("rev-parse", "--verify", `${commit}:proto/buf.yaml`) !== undefined;
}

function check(commit) {
  const short = commit.slice(0, 10);
  const folder = mkdtempSync(join(tmpdir(), "muster-breaking-"));
  try {
    const archive = join(folder, "baseline.tar");
    if (git("archive", "--output", archive, commit, "proto") === undefined)
      throw new Error("git archive failed");
    if (bufBreaking(archive)) console.log(`proto/ does not break callers of ${short}`);
    else judge(commit, short);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function bufBreaking(archive) {
  const path = [join(root, "node_modules", ".bin"), process.env.PATH].join(delimiter);
  const { status } = spawnSync("buf", ["breaking", "proto", "--against", `${archive}#subdir=proto`], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, PATH: path },
  });
  return status === 0;
}

function judge(commit, short) {
  const reason = /^Proto-Breaking: *(\S.*)$/m.exec(git("log", "--format=%B", `${commit}..HEAD`) ?? "")?.[1];
  if (reason !== undefined) {
    console.log(`proto/ breaks callers of ${short}, as intended: ${reason}`);
    return;
  }
  console.error(
    `proto/ breaks callers of ${short}. If that is intended, say why in the commit: Proto-Breaking: ...`,
  );
  process.exitCode = 1;
}

function git(...args) {
  const { status, stdout } = spawnSync("git", args, {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  return status === 0 ? stdout.trim() : undefined;
}
