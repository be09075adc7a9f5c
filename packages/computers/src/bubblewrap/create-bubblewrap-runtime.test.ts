import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { globSync, statSync } from "node:fs";
import { chmod, copyFile, mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { dirname, join } from "node:path";
import { createGuardedConnect } from "@muster/guarded-fetch";
import { type TestScope, temporaryDirectory } from "@muster/testing";
import { describe, test, vi } from "vitest";
import { holdComputer, never, openersOf, owner } from "../../test/support/open-computers.ts";
import { checkMachine, probeProblem } from "./check-machine.ts";
import { checkRuntime, requireRuntime } from "./check-runtime.ts";
import { folderName } from "./homes.ts";

const { openComputers, openComputer, configOf } = openersOf("bubblewrap");
const onLinux = describe.skipIf(process.platform !== "linux");

onLinux("a computer with real programs", () => {
  test("runs Python and git, keeps their files in the home directory, and no others", async (t) => {
    const { run, another } = await openComputer(t);
    const { stdout } = await run(
      "python3 -c 'print(6 * 7)'; git init -q r && cd r && git -c user.name=a -c user.email=a@b.c commit -q --allow-empty -m first && git log --format=%s; echo x > /tmp/x; ls -la > /dev/stdout 2> /dev/stderr",
    );
    assert.match(stdout, /^42\nfirst\ntotal/);
    const later = await holdComputer(another(), 2);
    const after = await later.run(
      "cd r && git log --format=%s && git status --short; ls /tmp; whoami; echo $HOME",
    );
    assert.equal(after.stdout, "first\nagent\n/home/agent\n");
  });

  test("stores only changed files: one that was read is not stored again", async (t) => {
    const { run, directory } = await openComputer(t);
    await run("head -c 3000000 /dev/urandom > big; mkdir d; echo x > d/f");
    const contents = async () => await readdir(join(directory, "blobs", "computers", owner.agentId));
    const before = new Set(await contents());
    await run("cat big > /dev/null; echo y > d/f");
    const added = (await contents()).filter((name) => !before.has(name));
    // The new content and the new manifest.
    assert.equal(added.length, 2);
    await run("touch -d 2001-01-01 big; cp -p big copy; mv copy big");
    assert.equal((await run("stat -c '%s %Y' big")).stdout, "3000000 978307200\n");
  });

  test("keeps the files of a command that took too long, and no file outside of the home directory", async (t) => {
    const { run, call, computer } = await openComputer(t);
    const { exitCode, note } = await run("echo x > f; sleep 100", { timeoutSeconds: 1 });
    assert.equal(exitCode, 124);
    assert.match(note ?? "", /stopped after 1 s\. Its changes to files until then were kept/);
    assert.equal((await run("cat f")).stdout, "x\n");
    const outcome = await call("files__write", { path: "/tmp/f", content: "x" });
    assert.ok("error" in outcome && outcome.error.includes("below /home/agent"), JSON.stringify(outcome));
    await assert.rejects(computer.putFile("/etc/x", Buffer.from("x"), never), { name: "ComputerFileError" });
    const missing = await run("pwd", { cwd: "/home/agent/nothing" });
    assert.match(missing.stderr, /nothing: No such file/);
    assert.equal((await run("pwd", { cwd: "/usr/lib" })).stdout, "/usr/lib\n");
  });

  test("makes room for another one if there are no more users, and has its files afterwards", async (t) => {
    const { directory } = await openComputers(t);
    const config = configOf(directory);
    const uids = { first: 200_000, last: 200_007 };
    const isRoot = config.bubblewrap?.uids !== undefined;
    if (config.bubblewrap && isRoot) config.bubblewrap.uids = uids;
    const { computers } = await openComputers(t, { config });
    const agents = Array.from({ length: 10 }, (_, index) => ({ ...owner, agentId: `agt_${index}` }));
    for (const who of agents) {
      const { run } = await holdComputer(computers, 1, who);
      await run(`echo ${who.agentId} > f`);
    }
    const homes = globSync(join(directory, "homes/*/*/home"));
    assert.equal(homes.length, isRoot ? 8 : 10);
    if (isRoot) assert.equal(new Set(homes.map((home) => statSync(home).uid)).size, 8);
    const [first = owner] = agents;
    assert.equal((await (await holdComputer(computers, 2, first)).run("cat f")).stdout, "agt_0\n");
    await computers.close();
    assert.deepEqual(await readdir(join(directory, "homes")), []);
  });

  test("finds the programs of SANDBOX_ROOT, and none of the machine", async (t) => {
    const root = await temporaryDirectory(t);
    await chmod(root, 0o755);
    const libraries = execFileSync("ldd", ["/bin/bash"], { encoding: "utf8" }).match(/\/\S+/g) ?? [];
    for (const path of ["/bin/bash", ...libraries]) {
      await mkdir(join(root, "usr", dirname(path)), { recursive: true });
      await copyFile(path, join(root, "usr", path));
    }
    for (const name of await readdir(join(root, "usr"))) await symlink(`usr/${name}`, join(root, name));
    const { directory } = await openComputers(t);
    const config = configOf(directory);
    if (config.bubblewrap === undefined) return assert.fail();
    config.bubblewrap.root = root;
    const { run } = await openComputer(t, { config });
    const { stdout } = await run("echo /bin/*; type -t python3 git ls || echo none");
    assert.equal(stdout, "/bin/bash\nnone\n");
  });

  test("leaves no working copies behind, not even those of a process that died", async (t) => {
    const { directory, computers } = await openComputers(t);
    const dead = join(directory, "homes", folderName(999_999_999, "0".repeat(36)));
    await mkdir(join(dead, "0", "home"), { recursive: true });
    await computers.check();
    assert.equal((await readdir(join(directory, "homes"))).length, 1);
  });
});

onLinux("the network of real programs", () => {
  const speaks = (request: string, more = "") =>
    `python3 -c 'import socket\ns = socket.create_connection(("127.0.0.1", 3128)); s.sendall(b"${request}")\nprint(s.recv(500).decode())\n${more}'`;

  async function openWithNetwork(t: TestScope, hosts: string[]) {
    const server = createServer((socket) =>
      socket.on("data", (data) => socket.end(`got ${data}`)).on("error", () => {}),
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    t.onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    let lookups = 0;
    const connectGuarded = createGuardedConnect({
      privateOrigins: [`https://localhost:${port}`],
      isPortAllowed: (asked) => asked === 443,
      // Public when it is asked first.
      resolve: async (name) => {
        if (name === "localhost") return ["127.0.0.1"];
        if (name === "mixed.example") return ["93.184.216.34", "127.0.0.1"];
        return name === "rebinding.example" && lookups++ > 0 ? ["93.184.216.34"] : ["10.0.0.1"];
      },
    });
    const { directory } = await openComputers(t);
    const { another } = await openComputers(t, { config: configOf(directory, hosts), connectGuarded });
    return { port, another, ...(await holdComputer(another(), 1)) };
  }

  test("is a proxy to allowed hosts, at the addresses that were checked", async (t) => {
    const { port, run, computer } = await openWithNetwork(t, ["localhost", "*.example"]);
    const tunnel = speaks(
      `CONNECT localhost:${port} HTTP/1.1\\r\\n\\r\\n`,
      's.sendall(b"hello"); print(s.recv(100).decode())',
    );
    const { stdout, stderr, exitCode } = await run(`${tunnel}; echo $https_proxy; exit 3`);
    assert.equal(stderr, "");
    assert.match(stdout, /^HTTP\/1.1 200 [\s\S]*\ngot hello\nhttp:\/\/127.0.0.1:3128\n$/);
    assert.equal(exitCode, 3);
    assert.match(computer.tools[0]?.description ?? "", /https_proxy/);
    const refusedHosts = {
      "other.host:443": 403,
      "127.0.0.1:443": 403,
      "[::1]:443": 403,
      "0x7f000001:443": 403,
      "2130706433:443": 403,
      "169.254.169.254:443": 403,
      "93.184.216.34:443": 403,
      [`a.example:${port}`]: 403,
      "a.example:22": 403,
      "private.example:443": 403,
      "mixed.example:443": 403,
      "rebinding.example:443": 403,
      "user:password@a.example:443": 403,
      "a.example:443/path": 403,
    };
    const attempts = Object.keys(refusedHosts).map((host) => speaks(`CONNECT ${host} HTTP/1.1\\r\\n\\r\\n`));
    const answers = (await run(attempts.join("\n"), { timeoutSeconds: 100 })).stdout.match(/HTTP\/1.1 \d+/g);
    assert.deepEqual(
      answers,
      Object.values(refusedHosts).map((status) => `HTTP/1.1 ${status}`),
    );
    const plain = await run(
      speaks(`GET http://localhost:${port}/ HTTP/1.1\\r\\nhost: localhost\\r\\n\\r\\n`),
    );
    assert.match(plain.stdout, /403[\s\S]*https addresses only/);
    const past = await run(
      "python3 -c 'import socket; socket.create_connection((\"93.184.216.34\", 443), 2)' 2>&1 | tail -1",
    );
    assert.match(past.stdout, /unreachable|not permitted/i);
  });
});

describe("a machine that cannot run commands", () => {
  const config = { root: "/", homesDirectory: "/srv/homes", maxHomeBytes: 1 };
  const uids = { first: 200_000, last: 200_099 };

  test("is refused with the setting that is wrong and what to do", {
    skip: process.platform !== "linux",
  }, async (t) => {
    const root = await temporaryDirectory(t);
    const asRoot = process.getuid?.() === 0;
    const right = asRoot ? { ...config, uids } : config;
    assert.match(checkMachine(right).bwrap, /bwrap$/);
    assert.throws(() => checkMachine({ ...right, root }), /SANDBOX_ROOT/);
    if (asRoot) {
      assert.throws(() => checkMachine(config), /never runs commands as root: set SANDBOX_UIDS/);
      const taken = { first: 1_000, last: 70_000 };
      assert.throws(() => checkMachine({ ...config, uids: taken }), /user 65534 of \/etc\/passwd/);
    } else assert.throws(() => checkMachine({ ...config, uids }), /leave SANDBOX_UIDS out/);
  });

  const printed: Record<string, RegExp> = {
    "bwrap: Unknown option --disable-userns": /0\.8\.0 or newer/,
    "bwrap: setting up uid map: Permission denied": /apparmor_restrict_unprivileged_userns=0/,
    "bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted": /apparmor/,
    "bwrap: No permissions to create a new namespace, likely because the kernel does not allow non-privileged user namespaces.":
      /seccomp profile/,
    "bwrap: Creating new namespace failed: Operation not permitted": /seccomp profile/,
    "bwrap: Can't mount proc on /newroot/proc: Operation not permitted":
      /systempaths=unconfined[\s\S]*procMount/,
    "Error: spawn EPERM": /SETUID/,
    "bwrap: Can't find source path /srv/homes/x/0/home: Permission denied": /SANDBOX_HOMES_DIRECTORY/,
    "bwrap: something else": /docs\/computers\.md[\s\S]*something else/,
  };
  for (const [problem, remedy] of Object.entries(printed)) {
    test(`that prints "${problem.slice(0, 60)}" is refused with the remedy`, () => {
      assert.match(probeProblem({ problem }, "", config).message, remedy);
    });
  }

  test("with the restriction of Ubuntu is explained by doctor and at the start alike", {
    skip: process.platform !== "linux",
  }, async (t) => {
    const { directory } = await openComputers(t);
    const bwrap = join(directory, "bwrap");
    await writeFile(bwrap, "#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n");
    await chmod(bwrap, 0o755);
    vi.stubEnv("PATH", `${directory}:${process.env.PATH}`);
    const uids: Record<string, string> = process.getuid?.() === 0 ? { SANDBOX_UIDS: "200000-200099" } : {};
    const env = { COMPUTER_RUNTIME: "bubblewrap", DATA_DIR: directory, ...uids };
    const check = await checkRuntime(env);
    assert.equal(check?.ok, false);
    assert.match(check?.message ?? "", /sudo sysctl kernel\.apparmor_restrict_unprivileged_userns=0/);
    await assert.rejects(requireRuntime(configOf(directory)), { message: check?.message });
  });

  test("is refused at the start of the service", { skip: process.platform !== "linux" }, async (t) => {
    const { directory } = await openComputers(t);
    const locked = configOf(directory);
    if (locked.bubblewrap === undefined) return assert.fail();
    // No folder can be made below a file.
    await writeFile(join(directory, "file"), "");
    locked.bubblewrap.homesDirectory = join(directory, "file", "homes");
    const { computers } = await openComputers(t, { config: locked });
    await assert.rejects(computers.check(), /SANDBOX_HOMES_DIRECTORY/);
  });
});
