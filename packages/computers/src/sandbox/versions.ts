import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import manifest from "../../package.json" with { type: "json" };

/** The version of this package. */
export const runtimeVersion = manifest.version;

/** The version of the shell, which brings the programs and the layout of the file system. */
export const shellVersion = `just-bash ${versionIn(shellManifest())}`;

/** The package does not export its own manifest. */
function shellManifest(): URL {
  const entry = import.meta.resolve("just-bash");
  return new URL("package.json", `${entry.slice(0, entry.lastIndexOf("/just-bash/"))}/just-bash/`);
}

function versionIn(manifest: URL): string {
  const value: unknown = JSON.parse(readFileSync(fileURLToPath(manifest), "utf8"));
  const hasVersion = typeof value === "object" && value !== null && "version" in value;
  return hasVersion ? String(value.version) : "unknown";
}
