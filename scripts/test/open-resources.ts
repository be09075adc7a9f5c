import { ChildProcess } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import { Server, Socket } from "node:net";
import { Worker } from "node:worker_threads";

const openingChannels = [
  "net.client.socket",
  "net.server.socket",
  "tracing:net.server.listen:asyncStart",
  "worker_threads",
];

/** Formatting a stack maps its lines to sources, which would take a tenth of the time of a connection. */
const openedAt = new WeakMap<object, Error>();
const workers = new Set<Worker>();

for (const channel of openingChannels) {
  subscribe(channel, (message) => {
    const opened = fieldOf(message, "socket") ?? fieldOf(message, "server") ?? fieldOf(message, "worker");
    if (typeof opened === "object" && opened !== null) openedAt.set(opened, new Error());
    if (opened instanceof Worker) workers.add(opened);
  });
}

/** Returns a function that describes everything opened since this call that still keeps the process alive. */
export function watchOpened(): () => string[] {
  const before = new WeakSet([...activeHandles(), ...runningWorkers()]);
  const typesBefore = process.getActiveResourcesInfo();
  return () => {
    const types = without(process.getActiveResourcesInfo(), typesBefore);
    const running = runningWorkers().filter((worker) => !before.has(worker));
    if (types.length + running.length === 0) return [];
    const handles = [...running, ...activeHandles().filter((handle) => !before.has(handle))];
    const described = handles.map(
      (handle) => describeHandle(handle) + callerOutsideNode(openedAt.get(handle)),
    );
    // Timers and pending requests have no handle.
    const others = types.filter((type) => !/(?:Wrap|MessagePort)$/.test(type));
    return described.length + others.length > 0 ? [...described, ...others] : types;
  };
}

function runningWorkers(): Worker[] {
  for (const worker of workers) if (worker.threadId === -1) workers.delete(worker);
  return [...workers].filter(keepsProcessAlive);
}

/** Undocumented, but the only access to the objects behind `getActiveResourcesInfo`. */
function activeHandles(): object[] {
  const list = fieldOf(process, "_getActiveHandles");
  const handles: unknown = typeof list === "function" ? list.call(process) : [];
  if (!Array.isArray(handles)) return [];
  return handles.filter((handle) => typeof handle === "object" && handle !== null);
}

/**
 * Neither list of Node's contains threads. Only Node's own handle of a thread, which is undocumented, knows whether the
 * thread was unreferenced, as the one that loads modules is.
 */
function keepsProcessAlive(worker: Worker): boolean {
  if (worker.threadId === -1) return false;
  const key = Object.getOwnPropertySymbols(worker).find(({ description }) => description === "kHandle");
  const handle: unknown = key && Reflect.get(worker, key);
  const hasRef = fieldOf(handle, "hasRef");
  return typeof hasRef === "function" ? hasRef.call(handle) === true : true;
}

function describeHandle(handle: object): string {
  if (handle instanceof Worker) return `worker thread ${handle.threadId}`;
  if (handle instanceof Server) return `server listening on ${describeAddress(handle.address())}`;
  if (handle instanceof ChildProcess) return `child process ${handle.pid}: ${handle.spawnargs.join(" ")}`;
  if (handle instanceof Socket && handle.remotePort !== undefined)
    return `socket from port ${handle.localPort} to ${handle.remoteAddress}:${handle.remotePort}`;
  return handle.constructor.name;
}

function describeAddress(address: ReturnType<Server["address"]>): string {
  return address !== null && typeof address === "object"
    ? `${address.address}:${address.port}`
    : `${address}`;
}

/** The first line of the stack outside Node, preferably outside `node_modules`. */
function callerOutsideNode(opening: Error | undefined): string {
  const lines = (opening?.stack ?? "").split("\n").slice(1);
  const outside = lines.filter((line) => !line.includes("node:") && !line.includes(import.meta.filename));
  const line = outside.find((each) => !each.includes("node_modules")) ?? outside[0];
  // Vitest imports a test file with a query.
  return line === undefined ? "" : ` (opened ${line.trim().replace(/file:\/\/|\?vitest=\d+/g, "")})`;
}

/** The items of `all` that remain after each of `some` is taken out once. */
function without(all: readonly string[], some: readonly string[]): string[] {
  const rest = [...all];
  for (const each of some) {
    const index = rest.indexOf(each);
    if (index >= 0) rest.splice(index, 1);
  }
  return rest;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
