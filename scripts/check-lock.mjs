// Checks that package-lock.json works for everyone: no registry addresses (registries differ), and an
// entry for every platform package, without which `npm ci` refuses the whole lock file. If a registry lacks
// some platforms, npm omits their entries; `--fix` adds them with the exact version that their parent names. npm
// then takes the checksum from a registry that has them.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const platformSuffix =
  /-(android|darwin|freebsd|linux|openharmony|win32)-(arm64|aarch64|armv7|arm|ia32|ppc64|riscv64|s390x|x64)(?:-(gnu|gnueabihf|musl|musleabihf|eabi|msvc))?$/;
const path = fileURLToPath(new URL("../package-lock.json", import.meta.url));
const lock = JSON.parse(readFileSync(path, "utf8"));
const missing = missingPlatformPackages(lock.packages);

if (process.argv.includes("--fix") && missing.length > 0) {
  for (const [location, entry] of missing) lock.packages[location] = entry;
  lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(byLocation));
  writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
  console.log(`package-lock.json: added ${missing.length} platform packages`);
} else {
  report([...addressProblems(lock.packages), ...missing.map(([location]) => `${location} has no entry`)]);
}

function report(problems) {
  for (const problem of problems) console.error(`package-lock.json: ${problem}`);
  if (problems.length > 0) {
    console.error("Run `node scripts/check-lock.mjs --fix`, or resolve again with the settings of .npmrc.");
    process.exitCode = 1;
  } else {
    console.log("package-lock.json: no registry addresses, every platform has its packages");
  }
}

function addressProblems(packages) {
  return Object.entries(packages)
    .filter(([, { resolved }]) => /^(https?|git|ssh)[+:]/.test(resolved ?? ""))
    .map(([location, { resolved }]) => `${location} names an address: ${resolved}`);
}

function missingPlatformPackages(packages) {
  const found = new Map();
  for (const parent of Object.values(packages)) {
    for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
      const location = `node_modules/${name}`;
      const entry = platformEntry(name, version, parent);
      if (packages[location] === undefined && entry !== undefined) found.set(location, entry);
    }
  }
  return [...found];
}

/** Undefined for a name that does not end in a platform: npm omitted it for another reason. */
function platformEntry(name, version, { dev, license }) {
  const match = platformSuffix.exec(name);
  if (match === null) return undefined;
  const [, os, architecture, abi = ""] = match;
  const cpu = { aarch64: "arm64", armv7: "arm" }[architecture] ?? architecture;
  return {
    version,
    cpu: [cpu],
    ...(dev ? { dev } : {}),
    ...(abi.startsWith("musl") ? { libc: ["musl"] } : {}),
    ...(license ? { license } : {}),
    optional: true,
    os: [os],
  };
}

function byLocation([a], [b]) {
  return a.localeCompare(b, "en");
}
