import { closeSync, openSync, readFileSync, rmSync, statSync, writeSync } from "node:fs";
import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { SetupError, say } from "./report.mjs";

const pollMs = 200;
const patienceMs = 10 * 60_000;

/** Runs `work` exclusively among all setups of the same checkout. A lock whose holder died is taken over. */
export async function withLock(path, work) {
  await acquire(path);
  const release = () => rmSync(path, { force: true });
  const onSignal = () => {
    release();
    process.exit(130);
  };
  process.once("SIGINT", onSignal);
  process.once("SIGTERM", onSignal);
  try {
    return await work();
  } finally {
    release();
    process.off("SIGINT", onSignal);
    process.off("SIGTERM", onSignal);
  }
}

async function acquire(path) {
  const deadline = Date.now() + patienceMs;
  let announced = false;
  while (!tryCreate(path)) {
    if (holderIsGone(path)) {
      rmSync(path, { force: true });
      continue;
    }
    if (Date.now() > deadline)
      throw new SetupError(`another setup appears to be stuck; stop it or delete ${path}`);
    if (!announced) say("another setup of this checkout is running; waiting for it");
    announced = true;
    await delay(pollMs);
  }
}

function tryCreate(path) {
  try {
    const file = openSync(path, "wx");
    writeSync(file, JSON.stringify({ pid: process.pid, host: hostname() }));
    closeSync(file);
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
}

function holderIsGone(path) {
  const holder = readHolder(path);
  // A lock from another host (in a shared folder), or one being written: only its age shows whether it is in use.
  if (holder === undefined || holder.host !== hostname()) return ageMs(path) > patienceMs;
  try {
    process.kill(holder.pid, 0);
    return false;
  } catch (error) {
    return error.code === "ESRCH";
  }
}

function readHolder(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

function ageMs(path) {
  return Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
}
