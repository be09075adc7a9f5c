import { readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { aptInstall, canUseApt, isExecutable } from "./apt.mjs";
import { SetupError, say, secondsSince } from "./report.mjs";

/** Chromium without a window, profiles and extensions: tests in the browser take a third less processor time in it. */
const debianPackage = "chromium-headless-shell";
const others = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
const macApplications = [
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/**
 * The page of an example is tested in a real browser. Installs one if that needs no permission. Only the tests in the browser
 * fail without it, so a problem is reported and everything else continues.
 */
export function ensureChromium() {
  if (findChromium() !== undefined) return;
  if (!canUseApt() || !isDebian()) return say(howToGetChromium());
  const startMs = Date.now();
  say(`installing ${debianPackage} with apt-get ...`);
  try {
    aptInstall(debianPackage, howToGetChromium());
    say(`${debianPackage} installed in ${secondsSince(startMs)}`);
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    say(error.message);
  }
}

/** `CHROMIUM`, or a browser at one of the usual places. */
export function findChromium() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const paths = [debianPackage, ...others].flatMap((name) => folders.map((folder) => join(folder, name)));
  return [...paths, ...macApplications].find(isExecutable);
}

/** Ubuntu's package of that name needs snap, which a container does not have. */
function isDebian() {
  try {
    return /^ID=debian$/m.test(readFileSync("/etc/os-release", "utf8"));
  } catch {
    return false;
  }
}

function howToGetChromium() {
  const how = isDebian()
    ? `Install it with \`sudo apt-get install ${debianPackage}\``
    : "Install Chromium or Chrome";
  return `the tests in the browser need Chromium. ${how}, or set CHROMIUM to its path.`;
}
