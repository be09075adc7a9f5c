import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { interpolateAll, type Variables } from "./interpolate.ts";

/** The folder of compose.yaml, which its relative paths begin at. */
export const folder = resolve(import.meta.dirname, "../..");

const dependency = z.strictObject({ condition: z.string() });
const resources = z.strictObject({ cpus: z.string().optional(), memory: z.string().optional() });

const service = z.object({
  image: z.string(),
  build: z
    .object({ context: z.string(), dockerfile: z.string(), args: z.record(z.string(), z.string()) })
    .optional(),
  command: z.array(z.string()).optional(),
  user: z.string().optional(),
  environment: z.record(z.string(), z.string()).default({}),
  ports: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
  tmpfs: z.array(z.string()).default([]),
  networks: z.array(z.string()),
  depends_on: z.record(z.string(), dependency).default({}),
  healthcheck: z.object({ test: z.array(z.string()).optional() }).optional(),
  read_only: z.boolean().default(false),
  cap_drop: z.array(z.string()).default([]),
  cap_add: z.array(z.string()).default([]),
  security_opt: z.array(z.string()).default([]),
  restart: z.string().optional(),
  stop_grace_period: z.string().optional(),
  deploy: z.object({
    replicas: z.number().default(1),
    resources: z.object({ limits: resources, reservations: resources.optional() }),
  }),
});

const composeFile = z.object({
  services: z.record(z.string(), service),
  networks: z.record(z.string(), z.object({ internal: z.boolean().default(false) })),
  volumes: z.record(z.string(), z.object({})),
});

export type ComposeFile = z.infer<typeof composeFile>;
export type ComposeService = z.infer<typeof service>;

export const composeText = readFileSync(join(folder, "compose.yaml"), "utf8");

/** The document as Docker Compose sees it: anchors merged, variables replaced. Throws MissingVariable. */
export function readDocument(variables: Variables): unknown {
  return interpolateAll(parse(composeText, { merge: true }), variables);
}

/** The parts of compose.yaml that are compared with the product and that start it as local processes. */
export function readComposeFile(variables: Variables): ComposeFile {
  return composeFile.parse(readDocument(variables));
}

/** The services that are processes of the product, by their names: those of the image that the file builds. */
export function processesIn({ services }: ComposeFile): Array<[string, ComposeService]> {
  const built = Object.values(services).flatMap(({ build, image }) => (build ? [image] : []));
  return Object.entries(services).filter(([, { image }]) => built.includes(image));
}
