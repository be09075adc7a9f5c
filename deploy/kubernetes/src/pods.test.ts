import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { render } from "./testing/helm.ts";
import { componentsOf } from "./testing/rendered.ts";
import { minimal, valueSets } from "./testing/value-sets.ts";

/** The process ends this long after SIGTERM at the latest; a gateway adds what DRAIN_SECONDS has beyond its default. */
const stopSeconds = 20;

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
      for (const { name: component, deployment, pod, container } of componentsOf(await render(values))) {
        assert.deepEqual(deployment.spec?.strategy?.rollingUpdate, { maxUnavailable: 0, maxSurge: 1 });
        const preStop = container.lifecycle?.preStop?.sleep?.seconds;
        assert.ok(preStop !== undefined && pod.terminationGracePeriodSeconds);
        assert.ok(pod.terminationGracePeriodSeconds >= preStop + stopSeconds + 5, component);
      }
    });

    test(`every mount of the values ${name} has its volume, and only /data and /tmp can be written`, async () => {
      for (const { name: component, pod, container } of componentsOf(await render(values))) {
        const volumes = new Map((pod.volumes ?? []).map((volume) => [volume.name, volume]));
        for (const mount of container.volumeMounts ?? []) assert.ok(volumes.has(mount.name), mount.name);
        const writable = (container.volumeMounts ?? []).filter((mount) => mount.readOnly !== true);
        const paths = writable.map((mount) => mount.mountPath);
        assert.deepEqual(
          paths.filter((path) => !["/tmp", "/data"].includes(path)),
          [],
          component,
        );
        for (const { value } of container.env ?? [])
          if (value?.startsWith("/data")) assert.ok(paths.includes("/data"), component);
      }
    });
  });
}

describe("the pods of the chart", () => {
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

  test("a longer drain of the gateway gets a longer grace period", async () => {
    const grace = async (seconds: number) => {
      const components = componentsOf(await render({ ...minimal, config: { DRAIN_SECONDS: seconds } }));
      return components.find(({ name }) => name === "gateway")?.pod.terminationGracePeriodSeconds;
    };
    assert.deepEqual([await grace(0), await grace(10), await grace(300)], [35, 35, 325]);
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
