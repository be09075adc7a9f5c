import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { aptInstall, canUseApt, isExecutable } from "./apt.mjs";
import { SetupError, say, secondsSince } from "./report.mjs";

/** Makes sure that the tests find a command of a Debian package. Installs it if that needs no permission. */
export function ensureCommand(name, elsewhere, debianPackage = name) {
  if (findCommand(name) !== undefined) return;
  const howToInstall = howTo(debianPackage, elsewhere);
  if (!canUseApt()) throw new SetupError(`the tests need ${name} on the PATH. ${howToInstall}`);
  const startMs = Date.now();
  say(`installing ${name} with apt-get ...`);
  aptInstall(debianPackage, howToInstall);
  if (findCommand(name) === undefined)
    throw new SetupError(`apt-get installed ${name}, but it is not on the PATH`);
  say(`${name} installed in ${secondsSince(startMs)}`);
}

/** Debian puts servers into /usr/sbin, which is not on every user's PATH. */
export function findCommand(name) {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin"];
  const file = process.platform === "win32" ? `${name}.exe` : name;
  return folders.map((folder) => join(folder, file)).find(isExecutable);
}

function howTo(name, elsewhere) {
  if (process.platform === "darwin") return `Install it with \`brew install ${name}\`.`;
  if (existsSync("/etc/debian_version")) return `Install it with \`sudo apt-get install ${name}\`.`;
  return `Download it from ${elsewhere}.`;
}
