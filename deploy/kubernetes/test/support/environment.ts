import assert from "node:assert/strict";
import { Secret } from "kubernetes-models/v1/Secret";
import type { Manifest } from "./helm.ts";
import { type Component, ofKind } from "./rendered.ts";
import { givenSecrets } from "./value-sets.ts";

/** The contents of Secrets outside of the chart in these tests. */
const foreign: Readonly<Record<string, string>> = {
  MUSTER_PRINCIPAL_SECRET: givenSecrets.principalSecret,
  MUSTER_ADMIN_KEY: givenSecrets.adminKey,
  MUSTER_SECRETS_KEY: givenSecrets.secretsKey,
  MONGODB_URI: "mongodb://mongodb.data.svc:27017/?replicaSet=rs0",
  NATS_URL: "tls://nats.data.svc:4222",
};

export type RenderedEnvironment = Readonly<Record<string, string>>;

/** The environment that the kubelet would start the component's process with. */
export function environmentOf(manifests: readonly Manifest[], { container }: Component): RenderedEnvironment {
  const entries = (container.env ?? []).map(({ name, value, valueFrom }) => {
    const source = valueFrom?.secretKeyRef;
    if (!source) return [name, value ?? valueFrom?.fieldRef?.fieldPath];
    return [name, secretValue(manifests, source.name, source.key) ?? foreign[name]];
  });
  const names = entries.map(([name]) => name);
  assert.deepEqual(names, [...new Set(names)], "a variable is set twice");
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function secretValue(
  manifests: readonly Manifest[],
  name: string | undefined,
  key: string,
): string | undefined {
  const secret = ofKind(manifests, Secret).find(({ metadata }) => metadata?.name === name);
  if (secret === undefined) return undefined;
  const value = secret.data?.[key];
  assert.ok(value, `the Secret ${name} lacks ${key}`);
  return Buffer.from(value, "base64").toString();
}
