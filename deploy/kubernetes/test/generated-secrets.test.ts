import assert from "node:assert/strict";
import { type ISecret, Secret } from "kubernetes-models/v1/Secret";
import { afterEach, beforeEach, describe, test } from "vitest";
import { type ApiServer, startApiServer } from "./support/api-server.ts";
import { chart, type Manifest, parseManifests, release, runHelm, type Values } from "./support/helm.ts";
import { componentsOf, ofKind } from "./support/rendered.ts";
import { minimal } from "./support/value-sets.ts";

const generated: Values = { ...minimal, secrets: { generate: true } };
const path = `/api/v1/namespaces/${release.namespace}/secrets/muster-settings`;

describe("generated secrets", () => {
  let api: ApiServer;
  beforeEach(async () => {
    api = await startApiServer();
  });
  afterEach(() => api[Symbol.asyncDispose]());

  /** The objects that helm would send to the cluster. Renders with the objects that exist there. */
  async function apply(command: "install" | "upgrade", values: Values): Promise<Manifest[]> {
    const cluster = [
      "--dry-run=server",
      "--disable-openapi-validation",
      "--kube-apiserver",
      api.url,
      "--kubeconfig",
      "/dev/null",
    ];
    const args = [
      "template",
      release.name,
      chart,
      "--namespace",
      release.namespace,
      "--values",
      "-",
      ...cluster,
    ];
    if (command === "upgrade") args.push("--is-upgrade");
    const manifests = parseManifests(await runHelm(args, JSON.stringify(values)));
    api.objects.set(path, secretIn(manifests));
    return manifests;
  }

  /** The Secret with the fields that helm adds to everything that it installs. */
  function secretIn(manifests: readonly Manifest[]): Manifest & ISecret {
    const [secret] = ofKind(manifests, Secret);
    assert.ok(secret?.metadata?.name);
    const annotations = {
      ...secret.metadata.annotations,
      "meta.helm.sh/release-name": release.name,
      "meta.helm.sh/release-namespace": release.namespace,
    };
    return { ...secret, metadata: { ...secret.metadata, name: secret.metadata.name, annotations } };
  }

  const settingIn = (manifests: readonly Manifest[], name: string) =>
    Buffer.from(secretIn(manifests).data?.[name] ?? "", "base64").toString();

  test("an installation generates secrets in the form that the processes need, and others than the next one", async () => {
    const first = await apply("install", generated);
    assert.match(settingIn(first, "MUSTER_ADMIN_KEY"), /^svc_sk_[A-Za-z0-9]{48}$/);
    for (const name of ["MUSTER_PRINCIPAL_SECRET", "MUSTER_SECRETS_KEY"])
      assert.equal(Buffer.from(settingIn(first, name), "base64").length, 32, name);
    api.objects.clear();
    const second = await apply("install", generated);
    const both = [first, second].flatMap((manifests) => Object.values(secretIn(manifests).data ?? {}));
    assert.equal(new Set(both).size, 2 * 3 + 2, "the addresses of the store and the bus are the same");
  });

  test("upgrades keep generated secrets, and so does an installation after helm uninstall", async () => {
    const first = await apply("install", generated);
    assert.equal(secretIn(first).metadata?.annotations?.["helm.sh/resource-policy"], "keep");
    const upgraded = await apply("upgrade", { ...generated, gateway: { replicas: 5 } });
    assert.deepEqual(secretIn(upgraded).data, secretIn(first).data);
    assert.deepEqual(secretIn(await apply("install", generated)).data, secretIn(first).data);
  });

  test("an upgrade whose generated secrets have disappeared fails instead of making others", async () => {
    await apply("install", generated);
    api.objects.clear();
    await assert.rejects(apply("upgrade", generated), /creates secrets only with the first installation/);
  });

  test("an upgrade without changes restarts no pod, although secrets were generated before it", async () => {
    const pods = (manifests: readonly Manifest[]) =>
      componentsOf(manifests).map(({ deployment }) => deployment.spec?.template);
    const first = pods(await apply("install", generated));
    assert.deepEqual(pods(await apply("upgrade", generated)), first);
  });

  test("a secret of the values replaces a generated one, and restarts the pods", async () => {
    const first = await apply("install", generated);
    const adminKey = `svc_sk_${"r".repeat(40)}`;
    const upgraded = await apply("upgrade", { ...generated, secrets: { generate: true, adminKey } });
    assert.equal(settingIn(upgraded, "MUSTER_ADMIN_KEY"), adminKey);
    assert.equal(settingIn(upgraded, "MUSTER_SECRETS_KEY"), settingIn(first, "MUSTER_SECRETS_KEY"));
    const [before, after] = [first, upgraded].map((manifests) => componentsOf(manifests)[0]?.deployment);
    assert.notDeepEqual(after?.spec?.template, before?.spec?.template);
  });
});
