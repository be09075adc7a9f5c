import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { aptInstall, canUseApt, isExecutable } from "./apt.mjs";
import { SetupError, say, secondsSince } from "./report.mjs";

/** The event bus is tested against a real server. Installs it if that needs no permission, else explains how. */
export function ensureNatsServer() {
  if (findNatsServer() !== undefined) return;
  if (!canUseApt()) throw new SetupError(`the tests need nats-server on the PATH. ${howToInstall()}`);
  const startMs = Date.now();
  say("installing nats-server with apt-get ...");
  aptInstall("nats-server", howToInstall());
  if (findNatsServer() === undefined)
    throw new SetupError("apt-get installed nats-server, but it is not on the PATH");
  say(`nats-server installed in ${secondsSince(startMs)}`);
}

/** Debian puts it into /usr/sbin, which is not on every user's PATH. */
export function findNatsServer() {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin"];
  const file = process.platform === "win32" ? "nats-server.exe" : "nats-server";
  return folders.map((folder) => join(folder, file)).find(isExecutable);
}

function howToInstall() {
  if (process.platform === "darwin") return "Install it with `brew install nats-server`.";
  if (existsSync("/etc/debian_version")) return "Install it with `sudo apt-get install nats-server`.";
  return "Download it from https://github.com/nats-io/nats-server/releases.";
}
