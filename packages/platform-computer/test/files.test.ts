import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { link, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { until } from "@muster/testing";
import { test } from "vitest";
import { type FileReply, FileRequests } from "../src/files/file-requests.ts";
import { Folder } from "../src/files/folder.ts";
import { type Connected, connect } from "./support/connect.ts";
import { agent, type Platform } from "./support/platform.ts";

test("the file tools have the results of the sandbox", async (t) => {
  const { use, dir } = await open(t);
  assert.deepEqual(await use("files__write", { path: "d/f.txt", content: "one\n" }), {
    result: { path: join(dir, "d/f.txt"), size: 4 },
  });
  assert.deepEqual(await use("files__write", { path: "~/d/f.txt", content: "two\n", append: true }), {
    result: { path: join(dir, "d/f.txt"), size: 8 },
  });
  const common = { path: join(dir, "d/f.txt"), firstLine: 1, totalLines: 2 };
  assert.deepEqual(await use("files__read", { path: "d/f.txt", limit: 1 }), {
    result: {
      ...common,
      content: "one\n",
      lastLine: 1,
      note: "There are more lines: continue with offset 2.",
    },
  });
  await symlink("f.txt", join(dir, "d/l"));
  const listed = JSON.stringify(await use("files__list", { recursive: true }));
  const modified = '"modified":"[^"]*"';
  assert.match(
    listed,
    new RegExp(
      `^{"result":{"path":"${dir}","entries":\\[{"path":"${dir}/d","type":"directory",${modified}},` +
        `{"path":"${dir}/d/f.txt","type":"file","size":8,${modified}},{"path":"${dir}/d/l","type":"symlink","target":"f.txt",${modified}}\\]}}$`,
    ),
  );
  assert.match(
    JSON.stringify(await use("files__read", { path: "none" })),
    /ENOENT: no such file or directory, '.*none'/,
  );
  assert.match(JSON.stringify(await use("files__read", { path: 7 })), /must be a string/);
  execFileSync("chmod", ["755", join(dir, "d/f.txt")]);
  await use("files__write", { path: "d/l", content: "new" });
  assert.equal(await readFile(join(dir, "d/f.txt"), "utf8"), "new");
  assert.equal((await stat(join(dir, "d/f.txt"))).mode & 0o777, 0o755);
  assert.deepEqual((await readdir(join(dir, "d"))).sort(), ["f.txt", "l"]);
});

test("no path of the platform leads out of the folder, whatever is in it", async (t) => {
  const { use, dir, home, platform } = await open(t);
  const secret = join(home, "secret");
  await writeFile(secret, "the secret");
  await mkdir(join(home, "work-other"));
  await writeFile(join(home, "work-other/f"), "the secret");
  await symlink(secret, join(dir, "file-link"));
  await symlink(home, join(dir, "directory-link"));
  await symlink("/", join(dir, "root"));
  await symlink("loop", join(dir, "loop"));
  await symlink(join(home, "absent"), join(dir, "dangling"));
  execFileSync("mkfifo", [join(dir, "pipe")]);
  const outside = [
    ...[
      "../secret",
      "../work-other/f",
      secret,
      "a/../../secret",
      "~/../secret",
      "file-link",
      "directory-link/secret",
    ],
    ...[
      "/etc/passwd",
      "root/etc/passwd",
      "/proc/self/environ",
      "/dev/zero",
      "/proc/self/root/etc/passwd",
      "\0",
      "",
    ],
    ...[
      "pipe",
      "loop",
      "dangling",
      "directory-link",
      `${dir}/../secret`,
      "root/dev/zero",
      "directory-link/new/f",
    ],
  ];
  for (const [index, path] of outside.entries()) {
    for (const [name, args] of Object.entries({
      files__read: { path },
      files__write: { path, content: "x" },
    })) {
      const outcome = await use(name, args);
      assert.ok(
        JSON.stringify(outcome).startsWith('{"error":'),
        `${name} ${path}: ${JSON.stringify(outcome)}`,
      );
    }
    const append = await use("files__write", { path, content: "x", append: true });
    assert.ok(JSON.stringify(append).startsWith('{"error":'), `append ${path}: ${JSON.stringify(append)}`);
    for (const action of ["read", "write"] as const)
      assert.ok(
        "error" in (await request(platform, BigInt(index * 2 + (action === "read" ? 1 : 2)), action, path)),
      );
  }
  for (const path of ["..", "/", "root", "directory-link", "root/etc", "pipe"])
    assert.ok(JSON.stringify(await use("files__list", { path })).startsWith('{"error":'), path);
  const all = JSON.stringify(await use("files__list", { recursive: true }));
  assert.ok(!all.includes('secret"') || all.includes('"target"'), all);
  assert.equal(await readFile(secret, "utf8"), "the secret");
  assert.deepEqual((await readdir(home)).sort(), ["secret", "state", "work", "work-other"]);
});

test("links that are exchanged while files are used never lead out of the folder", async (t) => {
  const { dir, home } = await open(t);
  await mkdir(join(home, "out"));
  await writeFile(join(home, "out/f"), "outside");
  await mkdir(join(dir, "real"));
  await writeFile(join(dir, "real/f"), "inside");
  const swap = "while :; do ln -sfn ../out swap; ln -sfn real swap; ln -sf ../out/f g; ln -f real/f g; done";
  const { spawn } = await import("node:child_process");
  const child = spawn("sh", ["-c", swap], { cwd: dir, stdio: "ignore", detached: true });
  t.onTestFinished(() => void (child.pid !== undefined && process.kill(-child.pid, "SIGKILL")));
  const folder = new Folder(dir);
  let reads = 0;
  await until("the links are exchanged", () => existsSync(join(dir, "g")));
  for (let count = 0; count < 100 || (reads === 0 && count < 10_000); count++) {
    for (const path of ["swap/f", "g"]) {
      const handle = await folder.openFile(folder.absolute(path)).catch(() => undefined);
      if (handle === undefined) continue;
      assert.equal(await handle.readFile("utf8"), "inside");
      await handle.close();
      reads++;
    }
    await folder.replace(folder.absolute("swap/new"), [Buffer.from("x")]).catch(() => {});
  }
  assert.ok(reads > 0);
  assert.deepEqual(await readdir(join(home, "out")), ["f"]);
});

test("files of the platform are written as one unit, read in pieces and listed", async (t) => {
  const { platform, dir } = await open(t);
  const content = Buffer.alloc(700_000, "muster ");
  platform.send({ case: "file", value: { ...run, id: 1n, action: { case: "write", value: "~/files/big" } } });
  const pieces = [
    content.subarray(0, 256 * 1024),
    content.subarray(256 * 1024, 512 * 1024),
    content.subarray(512 * 1024),
  ];
  for (const [index, bytes] of pieces.entries())
    platform.send({ case: "content", value: { id: 1n, bytes, isLast: index === pieces.length - 1 } });
  assert.deepEqual(await reply(platform, 1n), { bytes: 0, paths: [], done: true });
  assert.ok(content.equals(await readFile(join(dir, "files/big"))));
  assert.deepEqual(await request(platform, 2n, "read", "files/big"), {
    bytes: content.length,
    paths: [],
    done: true,
  });
  await Promise.all(
    Array.from({ length: 1_100 }, (_, index) => link(join(dir, "files/big"), join(dir, `files/${index}`))),
  );
  const listed = await request(platform, 3n, "list", "files");
  assert.ok("paths" in listed && listed.paths.length === 1_101 && listed.paths[0] === join(dir, "files/0"));
  const missing = await Promise.all(
    ["none", "files/0"].map((path, at) => request(platform, BigInt(10 + at), "list", path)),
  );
  assert.deepEqual(
    missing.map((answer) => "error" in answer && answer.isMissing),
    [true, false],
  );
  // A connection that ends in the middle leaves nothing.
  platform.send({ case: "file", value: { ...run, id: 4n, action: { case: "write", value: "half" } } });
  platform.send({ case: "content", value: { id: 4n, bytes: content, isLast: false } });
  await until("the file is begun", async () => (await readdir(dir)).some((name) => name.endsWith(".muster")));
  platform.cut();
  await until("nothing is left", async () => (await readdir(dir)).join() === "files");
});

test("files that the platform gives up make room for others, and leave nothing", async (t) => {
  const { dir } = await open(t);
  const replies: FileReply[] = [];
  const requests = new FileRequests(new Folder(dir), async (_, reply) => void replies.push(reply), 20);
  for (let id = 1n; id <= 17n; id++) await requests.write(id, `half-${id}`);
  assert.deepEqual(replies, [{ error: "16 files are open already.", isMissing: false }]);
  await until("all are given up", () => replies.length === 17);
  let id = 17n;
  await until("one is written before it is given up", async () => {
    id += 1n;
    await requests.write(id, "whole");
    await requests.content(id, Buffer.from("x"), true);
    return replies.some((reply) => "done" in reply);
  });
  await until("nothing else is left", async () => (await readdir(dir)).join() === "whole");
});

const run = { agentId: agent.agentId, epoch: 1n };

type Reply = { error: string; isMissing: boolean } | { bytes: number; paths: string[]; done: true };

async function request(
  platform: Platform,
  id: bigint,
  action: "read" | "list" | "write",
  path: string,
): Promise<Reply> {
  platform.send({ case: "file", value: { ...run, id, action: { case: action, value: path } } });
  if (action === "write")
    platform.send({ case: "content", value: { id, bytes: Buffer.from("x"), isLast: true } });
  return await reply(platform, id);
}

async function reply(platform: Platform, id: bigint): Promise<Reply> {
  const responses = () =>
    platform.frames.flatMap((frame) => (frame.case === "file" && frame.value.id === id ? [frame.value] : []));
  await until(`request ${id} is answered`, () =>
    responses().some(({ response }) => response.case === "done" || response.case === "error"),
  );
  const found = responses().map(({ response }) => response);
  const [{ response: error, isMissing } = assert.fail()] = responses();
  if (error.case === "error") return { error: error.value, isMissing };
  return {
    bytes: found.reduce((sum, part) => sum + (part.case === "bytes" ? part.value.length : 0), 0),
    paths: found.flatMap((part) =>
      part.case === "entries" ? part.value.entries.map(({ path }) => path) : [],
    ),
    done: true,
  };
}

async function open(
  t: Parameters<typeof connect>[0],
): Promise<Connected & { use(name: string, args: unknown): Promise<unknown> }> {
  const connected = await connect(t);
  await connected.platform.connected();
  let calls = 0;
  const use = (name: string, args: unknown) => {
    const id = `call${++calls}`;
    connected.platform.call(id, name, args);
    return connected.platform.outcome(id);
  };
  return { ...connected, use };
}
