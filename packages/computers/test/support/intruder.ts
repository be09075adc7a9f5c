import { spawn } from "node:child_process";
import dgram from "node:dgram";
import dns from "node:dns";
import { mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync, writeSync } from "node:fs";
import { open } from "node:fs/promises";
import { get } from "node:http";
import inspector from "node:inspector";
import { connect, createServer } from "node:net";
import { Worker } from "node:worker_threads";
import { lockProcess } from "../../src/sandbox/child/lock-process.ts";

// Runs in the place of the shell's process, as code that got out of the shell would, and reports what it could do.

lockProcess();

const attempts: Record<string, () => unknown> = {
  "read a file": () => readFileSync("/etc/passwd", "utf8"),
  "read a file through promises": async () => (await open("/etc/passwd")).fd,
  "list a folder": () => readdirSync("/"),
  "read its own environment": () => readFileSync("/proc/self/environ"),
  "read its parent's environment": () => readFileSync(`/proc/${process.ppid}/environ`),
  "read its parent's memory": () => readFileSync(`/proc/${process.ppid}/mem`),
  "find an environment variable": () =>
    Object.keys(process.env).filter(
      (name) => name !== "PWD" && name !== "_" && name !== "SHLVL" && name !== "OLDPWD",
    )[0],
  "write a file": () => writeFileSync("/tmp/muster-intruder", ""),
  "write a file of the shell": () => writeFileSync(import.meta.filename, ""),
  "make a folder": () => mkdtempSync("/tmp/muster-intruder-"),
  "make a link to a file": () => symlinkSync("/etc/passwd", "/tmp/muster-intruder-link"),
  "start a process": () => spawn("/bin/true"),
  "start a thread": () => new Worker("0", { eval: true }),
  "evaluate code": () => Reflect.apply(Reflect.get(globalThis, "eval"), undefined, ["1"]),
  "make a function of text": () => Reflect.construct(Function, ["return 1"])(),
  "load native code": () => process.dlopen({ exports: {} }, "/tmp/x.node"),
  "use internal bindings": () => Reflect.apply(Reflect.get(process, "binding"), process, ["spawn_sync"]),
  "open the inspector": () => inspector.open(0),
  "signal its parent": () => process.kill(process.ppid, 0),
  "connect to a port": () => settled(connect(1, "127.0.0.1"), "connect"),
  "listen on a port": () => settled(createServer().listen(0), "listening"),
  "request a URL": () => settled(get("http://127.0.0.1:1/"), "response"),
  "fetch a URL": () => fetch("http://127.0.0.1:1/"),
  "send a datagram": () => dgram.createSocket("udp4").send("x", 9, "127.0.0.1"),
  "resolve a name": () => dns.promises.resolve("example.com"),
  "look a name up": () => dns.promises.lookup("localhost"),
};

/** A refused connection counts as made: the process got as far as the network. */
function settled(emitter: NodeJS.EventEmitter, event: string): Promise<unknown> {
  return new Promise((resolve) => emitter.once(event, resolve).once("error", resolve));
}

const succeeded: string[] = [];
for (const [title, attempt] of Object.entries(attempts)) {
  try {
    const result = await attempt();
    if (result !== undefined || !title.startsWith("find")) succeeded.push(title);
  } catch {}
}
writeSync(3, JSON.stringify({ tried: Object.keys(attempts).length, succeeded }));
