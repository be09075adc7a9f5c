import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";
import { arch, hostname, networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type TestScope, until } from "@muster/testing";
import { afterAll, beforeAll, describe, test } from "vitest";
import { watchLoop } from "../../test/support/loop-hold.ts";
import { holdComputer, openersOf, owner } from "../../test/support/open-computers.ts";
import type { Computers, OutputChunk } from "../computer.ts";
import { deniedGroups } from "./seccomp/denied-groups.ts";

// The attempts of a hostile agent with real programs. `expect` says what happens instead; every attempt must also leave the host
// untouched, the secret unseen and no process behind.

interface Attempt {
  command: string;
  /** Matches the output, the errors and the note. */
  expect: RegExp;
  timeoutSeconds?: number;
  /** Only in the long run: it takes its whole time. */
  isLong?: boolean;
}

/** Attempts run at the same time, each on the computers of one lane, so that what it leaves behind is not that of others. */
interface Lane {
  computers: Computers;
  uids: { first: number; last: number };
  /** In the place of `LONG_SLEEP`. */
  longSleep: string;
}

/** Not those of other tests and runs. */
const firstUid = 300_000 + 100 * (process.pid % 10_000);
const uidsOfLane = 10;
const isLong = process.env.LONG_RUN !== undefined;
const secret = "host-secret-7c2e";
const nextAttempt = "-- next attempt --";
/** Smaller than by default, so that they are reached sooner. */
const limits = { maxMemoryBytes: 200 * 2 ** 20, maxBytes: 32 * 2 ** 20, maxEntries: 2_000 };

const host = mkdtempSync(join(tmpdir(), "muster-host-"));
const hostFile = join(host, "secret.txt");
const abstractName = `muster-escape-${process.pid}`;
const hostAddress =
  Object.values(networkInterfaces())
    .flat()
    .find((address) => address?.family === "IPv4" && !address.internal)?.address ?? "127.0.0.1";

const none = /No such file|cannot access|not found|denied|not permitted|Read-only|not a directory/i;
const refused =
  /not permitted|denied|must be superuser|Read-only|failed|not found|No such file|Invalid argument/i;
const python = (code: string) => `python3 - <<'PYTHON'\n${code}\nPYTHON`;
const connecting = (family: string, kind: string, address: string) =>
  python(
    `import socket\ntry:\n  s = socket.socket(socket.${family}, socket.${kind}); s.settimeout(2); s.connect(${address}); s.send(b"x"); print("connected", s.recv(100))\nexcept OSError as e: print("no:", e)`,
  );

const files: Record<string, Attempt> = {
  "a file by its path": { command: `cat ${hostFile}`, expect: none },
  "users of the host": {
    command: "cat /etc/shadow; cat /etc/passwd",
    expect: /No such file[\s\S]*agent:x:1000/,
  },
  "folders of the host": {
    command: `ls ${host} /root /var /home/* /data /work /srv /opt /mnt /boot`,
    expect: none,
  },
  "the root of another process": {
    command: `ls /proc/1/root/root; cat /proc/1/root${hostFile}`,
    expect: none,
  },
  "its own root, upwards": {
    command: `cat /proc/self/root/../..${hostFile} /proc/self/cwd/../../..${hostFile}`,
    expect: none,
  },
  "a hard link": { command: `ln /usr/bin/bash ~/bash; ln ${hostFile} ~/x; ls ~/x`, expect: none },
  "writing to programs": {
    command: "echo x > /usr/bin/true; rm -f /usr/bin/ls; touch /usr/x; ls /usr/bin/ls",
    expect: /Read-only/,
  },
  "writing to the root": {
    command: "mkdir /x; touch /etc/x /dev/x; echo end",
    expect: /Read-only[\s\S]*end/,
  },
  "disks and memory": {
    command: "cat /dev/vda /dev/sda /dev/mem /dev/kmsg /dev/port; ls /sys",
    expect: none,
  },
  "a device of its own": {
    command: "mknod ~/disk b 254 0; mknod ~/mem c 1 1; cat ~/disk ~/mem",
    expect: refused,
  },
  "the memory of the kernel": {
    command: "head -c 10 /proc/kcore; cat /proc/kallsyms | grep -v ' 0* \\|^0000' | head -1; echo end",
    expect: /(?:denied|No such file)[\s\S]*end/,
  },
  "a core pattern": {
    command: "echo '|/x' > /proc/sys/kernel/core_pattern; echo end",
    expect: /(?:Read-only|denied|No such file)[\s\S]*end/,
  },
  "the magic key": {
    command: "echo b > /proc/sysrq-trigger; echo end",
    expect: /(?:Read-only|denied|No such file)[\s\S]*end/,
  },
  "kernel settings": {
    command: "echo 1 > /proc/sys/vm/drop_caches; echo 9 > /proc/sys/user/max_user_namespaces; echo end",
    expect: /(?:Read-only|denied|No such file)[\s\S]*end/,
  },
  cgroups: {
    command: "mkdir ~/c; mount -t cgroup2 none ~/c; ls /sys/fs/cgroup; cat /proc/self/cgroup; echo end",
    expect: /superuser|not permitted|denied/,
  },
  "the name of the host": {
    command: "cat /proc/self/cgroup; cut -d' ' -f4 /proc/self/mountinfo; uname -n; echo end",
    expect: new RegExp(`^(?!.*\\b${hostname().replaceAll(".", "\\.")}\\b).*end`, "s"),
  },
  "modules of the kernel": { command: "insmod x.ko; modprobe dummy; echo end", expect: /end/ },
};

const processes: Record<string, Attempt> = {
  "a setuid copy of a shell": {
    command: "cp /usr/bin/bash b; chmod 4755 b; ./b -p -c 'id -u'; stat -c %u b",
    expect: /1000/,
  },
  "setuid programs of the system": {
    command: "su -c id; sudo -n id; mount -o bind / /tmp; echo end",
    expect: /end/,
  },
  "another user": {
    command: python(
      "import os\nfor u in (0, 1, 65534):\n  try:\n    os.setuid(u); print('became', u)\n  except OSError as e: print('no:', e)",
    ),
    expect: /^(?!.*became)/s,
  },
  "nested namespaces": {
    command: "unshare -Ur id; unshare -m id; unshare -n id; unshare -p id",
    expect: /not permitted/,
  },
  "namespaces of others": { command: "nsenter -t 1 -a id; nsenter -t 2 -m id", expect: refused },
  "a box in the box": { command: "bwrap --ro-bind / / id; echo end", expect: /end/ },
  chroot: { command: "chroot / id; pivot_root . .", expect: refused },
  mounts: {
    command: "mount --bind /usr ~; mount -t proc proc ~; mount -o remount,rw /usr; umount /proc",
    expect: refused,
  },
  "signals to others": {
    command: "kill -9 1; kill -STOP 1; ls -d /proc/[0-9]* | wc -l; echo alive",
    expect: /\n[1-9]\n?alive|^[1-9]\nalive/,
  },
  "the environment of others": { command: "cat /proc/*/environ | tr '\\0' '\\n' | sort -u", expect: /HOME=/ },
  "memory of the first process": {
    command: python(
      "import os\ntry:\n  open('/proc/1/mem', 'rb').read(10); print('read')\nexcept OSError as e: print('no:', e)",
    ),
    expect: /no:/,
  },
  "inherited descriptors": {
    command: "for fd in /proc/$$/fd/*; do echo \"fd $(basename $fd)\"; done | tr '\\n' ,; cat <&3; cat <&4",
    expect: /fd 0,fd 1,fd 2,(?:fd 255,)?[\s\S]*Bad file descriptor/,
  },
  "a terminal": {
    command: "echo x > /dev/tty; script -qc id /dev/null < /dev/null | head -1; tty; echo end",
    expect: /(?:No such device|not a tty)[\s\S]*end/,
  },
  "clocks and names": {
    command: "date -s 2001-01-01; hostname evil; echo end; hostname",
    expect: /computer/,
  },
  keyrings: { command: "keyctl show; keyctl add user k v @u; cat /proc/keys", expect: /.?/ },
  priority: {
    command: "nice -n -20 true; renice -n -20 $$; chrt -f 99 true; ionice -c 1 true; echo end",
    expect: /end/,
  },
  limits: {
    command: "ulimit -u unlimited; ulimit -f unlimited; prlimit --data=unlimited true; echo end",
    expect: /not permitted[\s\S]*end/i,
  },
};

const network: Record<string, Attempt> = {
  "the host's loopback": {
    command: connecting("AF_INET", "SOCK_STREAM", "('127.0.0.1', PORT)"),
    expect: /no:/,
  },
  "the host's address": {
    command: connecting("AF_INET", "SOCK_STREAM", `('${hostAddress}', PORT)`),
    expect: /no:/,
  },
  IPv6: { command: connecting("AF_INET6", "SOCK_STREAM", "('::1', PORT)"), expect: /no:/ },
  "a metadata service": {
    command: connecting("AF_INET", "SOCK_STREAM", "('169.254.169.254', 80)"),
    expect: /no:/,
  },
  "name servers": { command: connecting("AF_INET", "SOCK_DGRAM", "('8.8.8.8', 53)"), expect: /no:/ },
  "an abstract socket": {
    command: connecting("AF_UNIX", "SOCK_STREAM", `'\\0${abstractName}'`),
    expect: /no:/,
  },
  "sockets of the host": {
    command: `${connecting("AF_UNIX", "SOCK_STREAM", "'/run/docker.sock'")}; ls /run /var/run`,
    expect: /no:/,
  },
  "the hypervisor": {
    command: connecting("AF_VSOCK", "SOCK_STREAM", "(2, 1)"),
    expect: /no:|has no attribute/,
  },
  "raw packets": { command: connecting("AF_INET", "SOCK_RAW", "('127.0.0.1', 1)"), expect: /no:/ },
  "an interface of its own": {
    command: "ip link add d0 type dummy; ip link set lo down; ip addr add 10.9.9.9/8 dev lo; echo end",
    expect: /end/,
  },
};

const stopped =
  /stopped|more than|No space|too large|Cannot fork|Resource temporarily|unable to fork|Killed|MemoryError|limit/i;
const resources: Record<string, Attempt> = {
  "a fork bomb": { command: ":(){ :|:& };:; sleep 100", expect: stopped, timeoutSeconds: 1 },
  "a memory bomb": {
    command: python("x = []\nwhile True: x.append(b'x' * 10_000_000)"),
    expect: stopped,
    timeoutSeconds: 30,
  },
  "memory of many processes": {
    command:
      "for i in $(seq 8); do python3 -c 'x = b\"x\" * 60_000_000; import time; time.sleep(60)' & done; wait",
    expect: /too much memory/,
    timeoutSeconds: 60,
  },
  "shared memory": {
    command: python(
      "import mmap\nx = []\nfor i in range(40): m = mmap.mmap(-1, 20_000_000); m.write(b'x' * 20_000_000); x.append(m)\nprint('end')",
    ),
    expect: stopped,
    timeoutSeconds: 60,
  },
  "files in memory": {
    command:
      "for d in /tmp /dev/shm; do for i in $(seq 8); do head -c 30000000 /dev/zero > $d/x$i; done; rm -f $d/x*; done",
    expect: /No space/,
  },
  "a file of a gigabyte": {
    command: "dd if=/dev/zero of=x bs=1M count=1024; rm -f x",
    expect: /too large|limit exceeded/i,
  },
  "a sparse file": {
    command: "truncate -s 100G x; fallocate -l 100G y; dd if=/dev/zero of=z bs=1 count=1 seek=100G; ls -s",
    expect: /too large|limit exceeded/i,
  },
  "many large files": {
    command: "for i in $(seq 40); do dd if=/dev/zero of=f$i bs=1M count=16 2>/dev/null; done; sleep 100",
    expect: /more than 32 MiB/,
    timeoutSeconds: 60,
  },
  "a decompression bomb": {
    command: "head -c 60000000 /dev/zero | gzip | gzip -d > x; rm -f x",
    expect: /too large|limit exceeded/i,
  },
  "too many files": {
    command: "mkdir d; seq 3000 | (cd d && xargs touch); echo made",
    expect: /too many files|more than 2000 files/,
  },
  "a million files": {
    command: python(
      "import os\nfor i in range(1_000_000):\n  if i % 1000 == 0: os.mkdir(f'd{i}')\n  open(f'd{i - i % 1000}/{i}', 'w').close()",
    ),
    expect: stopped,
    timeoutSeconds: 300,
    isLong: true,
  },
  "endless output": {
    command: "yes yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy",
    expect: /printed more than 64 MiB/,
    timeoutSeconds: 60,
  },
  "endless lines of errors": {
    command: "exec >&2; while :; do echo; done",
    expect: stopped,
    timeoutSeconds: 1,
  },
  "an endless loop that ignores signals": {
    command: "trap '' TERM INT HUP QUIT; while :; do :; done",
    expect: /stopped after 1 s/,
    timeoutSeconds: 1,
  },
  "a daemon": {
    command: `(setsid nohup bash -c 'while :; do date > ~/alive; done' > /dev/null 2>&1 &); (setsid LONG_SLEEP &); echo left`,
    expect: /left/,
  },
  "a command that closes everything": {
    command: `exec 0<&- 1>&- 2>&-; (setsid LONG_SLEEP &); exit 0`,
    expect: /^$/,
  },
  "pipes and descriptors": {
    command: python(
      "import os\nx = []\ntry:\n  while True: x.append(os.pipe())\nexcept OSError as e: print('no:', e)",
    ),
    expect: /Too many open files/,
  },
  "deep folders": {
    command: python("import os\nfor i in range(700):\n  os.mkdir('d'); os.chdir('d')\nprint('made')"),
    expect: /too long|ENAMETOOLONG/,
  },
  "odd names": {
    command:
      "printf x > $'a\\xff'; printf x > $'new\\nline'; printf x > '__proto__'; mkdir -- '-rf'; echo made",
    expect: /not UTF-8|EINVAL/,
  },
  "folders that nobody may delete": {
    command: "mkdir -p r/o; touch r/o/f; chmod 000 r/o r; chmod 000 ~; echo made",
    expect: /made/,
  },
};

describe
  .skipIf(process.platform !== "linux")
  .concurrent("no attempt to escape from bubblewrap succeeds:", () => {
    let openLane: () => Promise<Lane>;
    const idleLanes: Lane[] = [];
    let server: Server;
    let abstractServer: Server;
    let connections = 0;
    const cleanUps: (() => void | Promise<void>)[] = [];
    const loop = watchLoop();

    beforeAll(async () => {
      writeFileSync(hostFile, secret, { mode: 0o644 });
      process.env.MUSTER_ESCAPE_SECRET = secret;
      const scope = { onTestFinished: (cleanUp: () => void | Promise<void>) => void cleanUps.push(cleanUp) };
      const { openComputers, configOf } = openersOf("bubblewrap");
      const { directory, another } = await openComputers(scope, { limits });
      let lanes = 0;
      openLane = async () => {
        const index = lanes++;
        const first = firstUid + uidsOfLane * index;
        const uids = { first, last: first + uidsOfLane - 1 };
        const config = configOf(directory);
        if (config.bubblewrap?.uids) config.bubblewrap.uids = uids;
        const computers = another({ config });
        await computers.check();
        return { computers, uids, longSleep: `sleep ${1_000_000 + first}` };
      };
      const listens = async (where: { port: number; host: string } | { path: string }) => {
        const made = createServer((socket) => socket.end(secret)).on("connection", () => connections++);
        await new Promise<void>((resolve) => made.listen(where, resolve));
        return made;
      };
      server = await listens({ port: 0, host: "0.0.0.0" });
      abstractServer = await listens({ path: `\0${abstractName}` });
    });
    afterAll(async () => {
      loop.stop();
      delete process.env.MUSTER_ESCAPE_SECRET;
      server.close();
      abstractServer.close();
      for (const cleanUp of cleanUps.reverse()) await cleanUp();
      rmSync(host, { recursive: true, force: true });
    });

    let agents = 0;
    /** A new agent on a lane that is no other test's meanwhile. */
    async function hold(t: TestScope) {
      const lane = idleLanes.pop() ?? (await openLane());
      t.onTestFinished(() => void idleLanes.push(lane));
      return { lane, ...(await holdComputer(lane.computers, 1, { ...owner, agentId: `agt_${++agents}` })) };
    }

    /** The output of the script, which has left the host untouched and no process behind. */
    const attempt = (t: TestScope, command: string, timeoutSeconds: number) =>
      loop.staysFree(() => attemptOnce(t, command, timeoutSeconds));

    async function attemptOnce(t: TestScope, command: string, timeoutSeconds: number): Promise<string> {
      const { run, lane } = await hold(t);
      const chunks: OutputChunk[] = [];
      const script = command
        .replaceAll("PORT", String((server.address() as AddressInfo).port))
        .replaceAll("LONG_SLEEP", lane.longSleep);
      const result = await run(script, { chunks, timeoutSeconds }).catch((error: Error) => ({
        ...{ stdout: error.message, stderr: "", note: "" },
      }));
      const all = `${result.stdout}${result.stderr}${result.note ?? ""}`;
      const shown = chunks.map(({ text }) => text).join("");
      assert.ok(!all.includes(secret) && !shown.includes(secret), "it has seen a secret of the host");
      assert.ok(Buffer.byteLength(shown) <= 1024 * 1024 + 100, "it has printed more than what is kept");
      assert.deepEqual(readdirSync(host), ["secret.txt"]);
      assert.equal(readFileSync(hostFile, "utf8"), secret);
      assert.equal(connections, 0);
      assert.deepEqual(await boxedProcesses(lane), []);
      return all;
    }

    const groups = { "files of the host": files, "processes and rights": processes, network };
    const together = (attempts: Attempt[]) =>
      attempts.map(
        ({ command }) =>
          `(cd $(mktemp -d) && bash <<'ATTEMPT' 2>&1\n${command}\nATTEMPT\n) 2>&1; echo; echo '${nextAttempt}'`,
      );
    for (const [group, attempts] of Object.entries(groups)) {
      test(`${group}: none of one script`, async (t) => {
        const output = await attempt(t, together(Object.values(attempts)).join("\n"), 120);
        const parts = output.split(`${nextAttempt}\n`);
        assert.equal(parts.length, Object.keys(attempts).length + 1, output);
        for (const [index, [title, { expect }]] of Object.entries(attempts).entries())
          assert.match(parts[index] ?? "", expect, title);
      });
    }

    test("system calls by their numbers", async (t) => {
      const { computer, run } = await hold(t);
      const script = readFileSync(new URL("../../test/support/system-calls.py", import.meta.url));
      await computer.putFile("calls.py", script, new AbortController().signal);
      const column = arch() === "arm64" ? "aarch64" : "x86_64";
      const [clone, socket] = column === "aarch64" ? [220, 198] : [56, 41];
      const [notPermitted, notThere, noFamily] = [1, 38, 97];
      const calls = [
        ...deniedGroups.flatMap(({ calls: all, absent }) =>
          all.flatMap((call) => {
            const number = call[column];
            return number === null ? [] : [[call.name, number, absent ? notThere : notPermitted]];
          }),
        ),
        ...[0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000].map((flag) => [
          ...[`clone ${flag.toString(16)}`, clone, notPermitted, flag + 17],
        ]),
        ...[17, 38, 40].map((family) => [`socket ${family}`, socket, noFamily, family, 1]),
        ["a call that is newer than the filter", 463, notThere],
      ];
      const { stdout, stderr } = await run(`python3 calls.py <<'CALLS'\n${JSON.stringify(calls)}\nCALLS`);
      assert.deepEqual([stdout, stderr], ["tried\n", ""]);
      assert.ok(calls.length > 70, String(calls.length));
    });

    for (const [title, { command, expect, timeoutSeconds = 60, isLong: onlyLong }] of Object.entries(
      resources,
    )) {
      if (onlyLong && !isLong) continue;
      test(title, async (t) => assert.match(await attempt(t, command, timeoutSeconds), expect));
    }

    test("links, pipes and sockets that an agent leaves: the platform follows none of them", async (t) => {
      const { run, call, computer } = await hold(t);
      await run(
        `ln -s ${hostFile} link; ln -s ${host} folder; ln -s / root; mkfifo pipe; ` +
          "python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"socket\")'; ls",
      );
      for (const path of ["link", "folder/secret.txt", `root${hostFile}`, "pipe", "socket"]) {
        const outcome = await call("files__read", { path });
        assert.ok("error" in outcome, `${path}: ${JSON.stringify(outcome)}`);
      }
      for (const path of ["link", "folder/new", `root${host}/new`])
        await call("files__write", { path, content: "changed" });
      await call("files__list", { path: "folder" });
      const entries = await computer.listFiles(".", new AbortController().signal);
      assert.deepEqual(entries.map(({ path }) => path.slice("/home/agent/".length)).sort(), [
        "files",
        "folder",
        "link",
        "root",
      ]);
      assert.equal((await run("ls pipe socket; cat link folder/secret.txt")).stdout, "");
      assert.deepEqual(readdirSync(host), ["secret.txt"]);
      assert.equal(readFileSync(hostFile, "utf8"), secret);
    });

    test("a link that takes the place of a file while the platform writes it", async (t) => {
      const { run, call } = await hold(t);
      const swapping = run(
        python(
          `import os, shutil\nfor i in range(2000):\n  os.symlink("${hostFile}", "f"); os.unlink("f")\n  open("f", "w").close(); os.rename("f", "g")\n  os.symlink("${host}", "d"); os.unlink("d"); os.mkdir("d"); os.rmdir("d")\nos.symlink("${hostFile}", "f"); os.symlink("${host}", "d")`,
        ),
        { timeoutSeconds: 60 },
      );
      const writing = Promise.all(
        Array.from({ length: 20 }, () => call("files__write", { path: "d/f", content: "changed" })),
      );
      await Promise.all([swapping, writing]);
      await call("files__write", { path: "f", content: "changed" });
      await run("true");
      assert.deepEqual(readdirSync(host), ["secret.txt"]);
      assert.equal(readFileSync(hostFile, "utf8"), secret);
    });

    test("an abort in the middle of a tree of processes: all are gone within a second", async (t) => {
      const { computer, lane } = await hold(t);
      const { longSleep } = lane;
      let printed = "";
      const command = `for i in 1 2 3 4 5 6 7; do (trap '' TERM HUP INT; setsid nohup ${longSleep} &) ; done; (setsid bash -c 'while :; do :; done' &); echo ready; ${longSleep}`;
      const args = { id: "call_tree", name: "shell__run_command", args: { command }, epoch: 1 };
      const running = computer.execute(args, ({ text }) => (printed += text), new AbortController().signal);
      const outcome = running.then(
        () => "ended",
        (error: Error) => error.name,
      );
      await until("it runs", () => printed.includes("ready"));
      const before = await boxedProcesses(lane);
      assert.ok(before.length >= 9, before.join(" "));
      await computer.abort("call_tree");
      assert.deepEqual(await boxedProcesses(lane), []);
      assert.equal(await outcome, "AbortError");
    });

    test("they are at least 60, and 70 system calls", () => {
      const count = Object.values({ ...groups, resources }).flatMap((group) => Object.keys(group)).length;
      assert.ok(count >= 60, String(count));
    });
  });

const execute = promisify(execFile);

/** The processes of the lane's sandboxes, whichever parent they have now. */
async function boxedProcesses({ uids, longSleep }: Lane): Promise<string[]> {
  const { stdout } = await execute("ps", ["-eo", "pid=,uid=,stat=,args="]);
  return stdout.split("\n").filter((line) => {
    const [, uid, state = ""] = line.trim().split(/\s+/);
    const isOurs = Number(uid) >= uids.first && Number(uid) <= uids.last;
    return !state.startsWith("Z") && (isOurs || line.includes(longSleep));
  });
}
