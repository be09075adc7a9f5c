import { randomBytes } from "node:crypto";
import { open, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { parseSecretsKey, type Secret } from "@muster/service";
import type { LocalConfig } from "./config.ts";

const fileName = "secrets.key";

/**
 * The keys of MUSTER_SECRETS_KEY. The embedded store also has one of its own, which its first start generates, so that nothing
 * needs to be set; it stays readable after a key was set. A store that others use too needs the variable.
 */
export async function secretsKeysOf({
  mongodbUri,
  dataDirectory,
  secretsKeys,
}: Pick<LocalConfig, "mongodbUri" | "dataDirectory" | "secretsKeys">): Promise<readonly Secret[]> {
  if (mongodbUri !== undefined) return secretsKeys;
  const path = join(dataDirectory, fileName);
  const generated = (await readIfExists(path)) ?? (await generate(path));
  return [...secretsKeys, parseSecretsKey(generated.trim(), path)];
}

async function readIfExists(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** The file appears with its whole content: a crash must not leave a key that is lost with the next start. */
async function generate(path: string): Promise<string> {
  const key = randomBytes(32).toString("hex");
  const draft = `${path}.new`;
  await rm(draft, { force: true });
  const file = await open(draft, "wx", 0o600);
  try {
    await file.writeFile(`${key}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
  return key;
}
