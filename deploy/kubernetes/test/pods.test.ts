import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { CronJob } from "kubernetes-models/batch/v1/CronJob";
import { Pod } from "kubernetes-models/v1/Pod";
import { describe, test } from "vitest";
import { parse } from "yaml";
import { environmentOf } from "./support/environment.ts";
import { parseManifests, release, render, renderText, type Values } from "./support/helm.ts";
import { type ComponentName, componentsOf, ofKind } from "./support/rendered.ts";
import { problemsOf } from "./support/schemas.ts";
import { everything, minimal, valueSets } from "./support/value-sets.ts";

/**
 * How a pod of each component stops, in seconds: when SIGTERM arrives, how long calls are accepted, and when the
 * process has ended.
 */
async function stops(values: Values) {
  const manifests = await render(values);
  return componentsOf(manifests).map((component) => {
    const { name, pod, container } = component;
    const env = environmentOf(manifests, component);
    const preStop = container.lifecycle?.preStop?.sleep?.seconds ?? 0;
    const delay = name === "gateway" ? Number(env.SHUTDOWN_DELAY_SECONDS) : 0;
    const process = name === "gateway" ? delay + Number(env.DRAIN_SECONDS ?? 10) + 5 : 20;
    const grace = pod.terminationGracePeriodSeconds ?? 30;
    return { name, preStop, accepting: preStop + delay, ended: preStop + process, grace };
  });
}

/** The part of the shared volume that each component uses: uploads, videos, and the files of agents' computers. */
const foldersOf: Readonly<Record<ComponentName, string[]>> = {
  gateway: ["files"],
  auth: [],
  agents: [],
  sessions: ["files"],
  workforce: ["blobs", "files"],
  recorder: ["files/.recordings"],
};

for (const [name, values] of Object.entries(valueSets)) {
  describe(`pods with values: ${name}`, () => {
    test(`all pods of the values ${name} obey the restricted profile of Pod Security, with a read-only root and no token`, async () => {
      const manifests = await render(values);
      const components = componentsOf(manifests);
      assert.ok(components.length >= 5);
      for (const { name: component, pod, container } of components) {
        assert.equal(pod.automountServiceAccountToken, false, component);
        assert.equal(pod.securityContext?.runAsNonRoot, true, component);
        assert.equal(pod.securityContext?.runAsUser, 10_001, component);
        assert.equal(pod.securityContext?.seccompProfile?.type, "RuntimeDefault", component);
        for (const field of ["hostNetwork", "hostPID", "hostIPC"] as const)
          assert.equal(pod[field], undefined, component);
        const context = container.securityContext;
        assert.equal(context?.allowPrivilegeEscalation, false, component);
        assert.equal(context?.readOnlyRootFilesystem, true, component);
        assert.deepEqual(context?.capabilities, { drop: ["ALL"] }, component);
        assert.equal(context?.privileged, undefined, component);
        for (const { hostPort } of container.ports ?? []) assert.equal(hostPort, undefined, component);
      }
    });

    test(`rolling updates with the values ${name} remove no pod before its successor is ready, and leave each time to stop`, async () => {
      for (const { deployment } of componentsOf(await render(values))) {
        assert.deepEqual(deployment.spec?.strategy?.rollingUpdate, { maxUnavailable: 0, maxSurge: 1 });
        // Callers learn of a new pod within this time.
        assert.equal(deployment.spec.minReadySeconds, 10);
      }
      for (const { name: component, accepting, ended, grace } of await stops(values)) {
        assert.equal(accepting, 5, component);
        assert.equal(grace, ended + 10, component);
      }
    });

    test(`every mount of the values ${name} has its volume, and each component can write to /tmp and its own folders alone`, async () => {
      for (const { name: component, pod, container } of componentsOf(await render(values))) {
        const volumes = new Map((pod.volumes ?? []).map((volume) => [volume.name, volume]));
        for (const mount of container.volumeMounts ?? []) assert.ok(volumes.has(mount.name), mount.name);
        const writable = (container.volumeMounts ?? []).filter((mount) => mount.readOnly !== true);
        const paths = writable.map((mount) => `${mount.mountPath} ${mount.subPath ?? ""}`);
        const env = new Map((container.env ?? []).map((variable) => [variable.name, variable.value]));
        const folders = foldersOf[component].filter(
          (folder) => folder === "blobs" || env.has("FILES_DIRECTORY"),
        );
        assert.deepEqual(
          paths,
          ["/tmp ", ...folders.map((folder) => `/data/${folder} ${folder}`)],
          component,
        );
        assert.equal(env.get("FILES_DIRECTORY") ?? "/data/files", "/data/files", component);
        assert.equal(env.get("DATA_DIR"), folders.includes("blobs") ? "/data" : undefined, component);
      }
    });
  });
}

describe("the pods of the chart", () => {
  test("on OpenShift, no pod has a user or group but those of the values, so that the namespace's ranges apply", async () => {
    const idsOf = async (podSecurityContext: object, apis: string[] = []) => {
      const values = { ...everything, pods: { podSecurityContext } };
      const manifests = parseManifests(await renderText(values, release, apis));
      const pods = [
        ...componentsOf(manifests).map(({ pod }) => pod),
        ...ofKind(manifests, Pod).map(({ spec }) => spec),
        ...ofKind(manifests, CronJob).map(({ spec }) => spec?.jobTemplate.spec?.template.spec),
      ];
      assert.equal(pods.length, 8);
      const contexts = pods.map((pod) => {
        assert.equal(pod?.securityContext?.runAsNonRoot, true);
        const { runAsUser, runAsGroup, fsGroup } = pod.securityContext;
        return [runAsUser, runAsGroup, fsGroup].join();
      });
      return [...new Set(contexts)];
    };
    const openShift = ["security.openshift.io/v1"];
    assert.deepEqual(await idsOf({}), ["10001,10001,10001"]);
    assert.deepEqual(await idsOf({ runAsUser: 20_002 }), ["20002,10001,10001"]);
    assert.deepEqual(await idsOf({}, openShift), [",,"]);
    assert.deepEqual(await idsOf({ fsGroup: 1_000_650_000 }, openShift), [",,1000650000"]);
  });

  test("with bubblewrap, only the pods of workforce may make namespaces, with an image and a folder for homes of their own", async () => {
    const computers = { runtime: "bubblewrap", image: "programs:1", homesSize: "3Gi" };
    const manifests = await render({ ...minimal, workforce: { computers } });
    assert.deepEqual(manifests.flatMap(problemsOf), []);
    for (const { name, pod, container } of componentsOf(manifests)) {
      const isWorkforce = name === "workforce";
      const { procMount, seccompProfile, appArmorProfile, ...context } = container.securityContext ?? {};
      assert.equal(pod.hostUsers, isWorkforce ? false : undefined, name);
      const walls = [procMount, seccompProfile?.type, appArmorProfile?.type];
      assert.deepEqual(
        walls,
        isWorkforce ? ["Unmasked", "Unconfined", "Unconfined"] : [undefined, undefined, undefined],
        name,
      );
      assert.deepEqual(context.capabilities, { drop: ["ALL"] }, name);
      assert.equal(context.allowPrivilegeEscalation, false, name);
      assert.equal(pod.securityContext?.runAsUser, 10_001, name);
      assert.equal(container.image === "programs:1", isWorkforce, name);
      const homes = pod.volumes?.find((volume) => volume.name === "homes")?.emptyDir?.sizeLimit;
      assert.equal(homes, isWorkforce ? "3Gi" : undefined, name);
    }
    const workforce = componentsOf(manifests).find(({ name }) => name === "workforce") ?? assert.fail();
    assert.ok(workforce.container.volumeMounts?.some(({ mountPath }) => mountPath === "/homes"));
    const { COMPUTER_RUNTIME, SANDBOX_HOMES_DIRECTORY } = environmentOf(manifests, workforce);
    assert.deepEqual([COMPUTER_RUNTIME, SANDBOX_HOMES_DIRECTORY], ["bubblewrap", "/homes"]);
  });

  test("containers of the values start before the process or run beside it, and the process stays the pod's first container", async () => {
    for (const { name, pod } of componentsOf(await render(everything))) {
      assert.deepEqual(
        pod.containers.map((container) => container.name),
        [name, "log-shipper"],
      );
      assert.deepEqual(
        pod.initContainers?.map((container) => container.name),
        ["warm-up", "mesh"],
      );
      assert.equal(pod.securityContext?.supplementalGroups?.[0], 5_555);
      assert.deepEqual(pod.hostAliases, [{ ip: "10.0.0.7", hostnames: ["idp.corp.internal"] }]);
      assert.deepEqual(pod.dnsConfig, { options: [{ name: "ndots", value: "2" }] });
    }
  });

  test("services are probed over gRPC and gateways over HTTP, and no probe depends on other processes", async () => {
    for (const { name, container } of componentsOf(await render(minimal))) {
      const { readinessProbe, livenessProbe, startupProbe } = container;
      const port = container.ports?.[0];
      if (name === "gateway") {
        assert.deepEqual(readinessProbe?.httpGet, { path: "/readyz?scope=self", port: "http" });
        assert.deepEqual(livenessProbe?.httpGet, { path: "/healthz", port: "http" });
        assert.deepEqual(startupProbe?.httpGet, { path: "/healthz", port: "http" });
        assert.equal(port?.name, "http");
      } else {
        assert.deepEqual(readinessProbe?.grpc, { port: port?.containerPort, service: "self" }, name);
        assert.deepEqual(livenessProbe?.grpc, { port: port?.containerPort, service: "liveness" }, name);
        assert.deepEqual(startupProbe?.grpc, { port: port?.containerPort, service: "liveness" }, name);
      }
    }
  });

  test("the probes that docs/running.md recommends are those of the chart", async () => {
    const page = readFileSync(resolve(import.meta.dirname, "../../../docs/running.md"), "utf8");
    const [, probes = ""] = /```yaml\n(readinessProbe:[\s\S]*?)```/.exec(page) ?? [];
    const sessions = componentsOf(await render(minimal)).find(({ name }) => name === "sessions");
    const { readinessProbe, livenessProbe } = sessions?.container ?? {};
    assert.deepEqual(parse(probes), { readinessProbe, livenessProbe });
  });

  test("gateways get SIGTERM at once and accept requests after it, the others get it when callers know that they leave", async () => {
    for (const { name, preStop, accepting } of await stops({ ...minimal, pods: { preStopSeconds: 15 } }))
      assert.deepEqual([preStop, accepting], [name === "gateway" ? 0 : 15, 15], name);
    // Kubernetes 1.31 refuses to sleep for 0 s.
    const values = {
      ...minimal,
      pods: { preStopSeconds: 0 },
      config: { DRAIN_SECONDS: 300, SHUTDOWN_DELAY_SECONDS: 40 },
    };
    for (const { container } of componentsOf(await render(values)))
      assert.equal(container.lifecycle, undefined);
    const gateway = (await stops(values)).find(({ name }) => name === "gateway");
    assert.deepEqual(gateway, { name: "gateway", preStop: 0, accepting: 40, ended: 345, grace: 355 });
  });

  test("the pod of helm test runs on the nodes of the other pods", async () => {
    const manifests = await render(everything);
    const [placed] = ofKind(manifests, Pod);
    const [component] = componentsOf(manifests);
    assert.ok(component?.pod.nodeSelector && component.pod.tolerations);
    assert.deepEqual(placed?.spec?.nodeSelector, component.pod.nodeSelector);
    assert.deepEqual(placed.spec.tolerations, component.pod.tolerations);
  });

  test("pods restart when a secret in the values changes, and not when nothing changes", async () => {
    const checksum = async (adminKey: string) => {
      const [gateway] = componentsOf(
        await render({ ...minimal, secrets: { ...Object(minimal.secrets), adminKey } }),
      );
      return gateway?.deployment.spec?.template.metadata?.annotations?.["checksum/settings"];
    };
    const key = `svc_sk_${"a".repeat(40)}`;
    assert.equal(await checksum(key), await checksum(key));
    assert.notEqual(await checksum(key), await checksum(`${key}b`));
  });

  test("keys of model providers are only in the pods of sessions, and the admin key only in those of auth", async () => {
    const components = componentsOf(
      await render(valueSets["existing secrets, TLS and custom metrics"] ?? {}),
    );
    const holders = (variable: string) =>
      components
        .filter(({ container }) => container.env?.some(({ name }) => name === variable))
        .map(({ name }) => name);
    assert.deepEqual(holders("OPENAI_API_KEY"), ["sessions"]);
    assert.deepEqual(holders("MUSTER_ADMIN_KEY"), ["auth"]);
    assert.deepEqual(holders("MONGODB_URI").sort(), ["agents", "auth", "sessions", "workforce"]);
  });
});
