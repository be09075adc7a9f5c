import { readFile } from "node:fs/promises";
import { join } from "node:path";

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
}

export async function readManifest(path: string): Promise<Manifest> {
  const manifest: Manifest = JSON.parse(await readFile(path, "utf8"));
  return manifest;
}

/** The package.json of the published package. Its dependencies are the imported libraries in their installed versions. */
export async function publishedManifest(source: Manifest, libraries: readonly string[], root: string) {
  const { name, version, description, license, bin } = source;
  const versions = libraries.map(async (library): Promise<[string, string]> => {
    const installed = await readManifest(await manifestOf(library, root));
    return [library, installed.version];
  });
  return {
    ...{ name, version, description, license, type: "module", bin },
    engines: { node: ">=24" },
    dependencies: Object.fromEntries(await Promise.all(versions)),
  };
}

/** npm puts a library into the package that needs it when another version is in the root. */
async function manifestOf(library: string, root: string): Promise<string> {
  const own = join(root, "packages/cli/node_modules", library, "package.json");
  return readFile(own).then(
    () => own,
    () => join(root, "node_modules", library, "package.json"),
  );
}
