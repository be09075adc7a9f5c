import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { PrometheusRule } from "@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PrometheusRule";
import { ServiceMonitor } from "@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor";
import { HorizontalPodAutoscaler } from "kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler";
import { Ingress } from "kubernetes-models/networking.k8s.io/v1/Ingress";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1/PodDisruptionBudget";
import { ConfigMap } from "kubernetes-models/v1/ConfigMap";
import { Service } from "kubernetes-models/v1/Service";
import { describe, test } from "vitest";
import { parse } from "yaml";
import { type Manifest, render } from "./support/helm.ts";
import { componentLabel, componentsOf, ofKind } from "./support/rendered.ts";
import { everything, valueSets } from "./support/value-sets.ts";

type Labels = Readonly<Record<string, string>>;

/** The components whose pods the selector matches. */
function selected(manifests: readonly Manifest[], selector: Labels | undefined): string[] {
  const wanted = Object.entries(selector ?? {});
  assert.ok(wanted.length > 0, "an empty selector matches every pod of the namespace");
  return componentsOf(manifests)
    .filter(({ podLabels }) => wanted.every(([key, value]) => podLabels[key] === value))
    .map(({ name }) => name);
}

for (const [name, values] of Object.entries(valueSets)) {
  describe(`wiring of the values ${name}`, () => {
    test(`each selector of the values ${name} matches the pods of its own component alone`, async () => {
      const manifests = await render(values);
      const own = (object: { metadata?: { labels?: Record<string, string> } }) => [
        object.metadata?.labels?.[componentLabel],
      ];
      for (const service of ofKind(manifests, Service))
        assert.deepEqual(selected(manifests, service.spec?.selector), own(service), service.metadata?.name);
      for (const budget of ofKind(manifests, PodDisruptionBudget))
        assert.deepEqual(selected(manifests, budget.spec?.selector?.matchLabels), own(budget));
      for (const { deployment, name: component, pod } of componentsOf(manifests)) {
        assert.deepEqual(selected(manifests, deployment.spec?.selector.matchLabels), [component]);
        for (const spread of pod.topologySpreadConstraints ?? [])
          assert.deepEqual(selected(manifests, spread.labelSelector?.matchLabels), [component]);
      }
      for (const scaler of ofKind(manifests, HorizontalPodAutoscaler)) {
        const target = manifests.find(
          ({ kind, metadata }) =>
            kind === scaler.spec?.scaleTargetRef.kind && metadata.name === scaler.spec.scaleTargetRef.name,
        );
        assert.deepEqual(own(target ?? {}), own(scaler));
      }
    });

    test(`each port that the values ${name} name is one that the container opens, and callers use the Service's`, async () => {
      const manifests = await render(values);
      const components = new Map(componentsOf(manifests).map((component) => [component.name, component]));
      const services = new Map(
        ofKind(manifests, Service).map((service) => [service.metadata?.name, service]),
      );
      for (const service of services.values()) {
        const [component] = selected(manifests, service.spec?.selector);
        const open = [...components.values()].find((candidate) => candidate.name === component)?.container
          .ports;
        for (const port of service.spec?.ports ?? [])
          assert.ok(
            open?.some((candidate) => candidate.name === port.targetPort),
            service.metadata?.name,
          );
      }
      for (const { name: component, container } of components.values()) {
        const addresses = (container.env ?? []).filter((variable) => variable.name.endsWith("_ADDRESSES"));
        for (const { value = "" } of addresses) {
          const [, host, port] = /^dns:\/\/\/([a-z-]+)\.platform\.svc\.[a-z.]+\.:(\d+)$/.exec(value) ?? [];
          assert.ok(host, value);
          const spec = services.get(host)?.spec;
          assert.equal(spec?.clusterIP, "None", `${component} must see each instance of ${host}`);
          assert.ok(
            spec.ports?.some((candidate) => String(candidate.port) === port),
            `${value} of ${component}`,
          );
        }
      }
    });

    test(`an automatically scaled component of the values ${name} leaves its number of instances to the autoscaler`, async () => {
      const manifests = await render(values);
      const scaled = ofKind(manifests, HorizontalPodAutoscaler).map(({ spec }) => spec?.scaleTargetRef.name);
      for (const { deployment } of componentsOf(manifests))
        assert.equal(
          deployment.spec?.replicas === undefined,
          scaled.includes(deployment.metadata?.name ?? ""),
        );
    });
  });
}

describe("the edge", () => {
  test("the Ingress and the route lead to the Service of the gateway, without buffering and with an hour of silence", async () => {
    const manifests = await render(everything);
    const [ingress] = ofKind(manifests, Ingress);
    const backend = ingress?.spec?.rules?.[0]?.http?.paths[0]?.backend.service;
    const gateway = ofKind(manifests, Service).find(({ metadata }) => metadata?.name === backend?.name);
    assert.deepEqual(selected(manifests, gateway?.spec?.selector), ["gateway"]);
    assert.ok(gateway?.spec?.ports?.some(({ name }) => name === backend?.port?.name));
    const annotations = ingress?.metadata?.annotations ?? {};
    assert.equal(annotations["nginx.ingress.kubernetes.io/proxy-buffering"], "off");
    assert.equal(annotations["nginx.ingress.kubernetes.io/proxy-read-timeout"], "3600");
    assert.equal(annotations["nginx.ingress.kubernetes.io/proxy-body-size"], "11m");
    const route = manifests.find(({ kind }) => kind === "HTTPRoute");
    assert.match(JSON.stringify(route), new RegExp(`"name":"${backend?.name}","port":80`));
  });

  test("annotations of the values override those for ingress-nginx", async () => {
    const [ingress] = ofKind(
      await render(valueSets["existing secrets, TLS and custom metrics"] ?? {}),
      Ingress,
    );
    const annotations = ingress?.metadata?.annotations ?? {};
    assert.equal(annotations["nginx.ingress.kubernetes.io/proxy-read-timeout"], "7200");
    assert.equal(annotations["nginx.ingress.kubernetes.io/proxy-buffering"], "off");
  });

  test("clients learn the address of the Ingress, unless another one is set", async () => {
    const url = async (values: object) => {
      const manifests = await render({ ...valueSets.production, ...values });
      const gateway = componentsOf(manifests).find(({ name }) => name === "gateway");
      return gateway?.container.env?.find(({ name }) => name === "PUBLIC_URL")?.value;
    };
    const ingress = { enabled: true, host: "muster.example.com" };
    assert.equal(await url({}), "https://muster.example.com");
    assert.equal(
      await url({ ingress: { ...ingress, tls: { enabled: false } } }),
      "http://muster.example.com",
    );
    assert.equal(await url({ config: { PUBLIC_URL: "https://a.example" } }), "https://a.example");
  });

  test("metrics are never a port of the Service that may face the public", async () => {
    const manifests = await render({ ...everything, gateway: { service: { type: "LoadBalancer" } } });
    const open = ofKind(manifests, Service).filter(({ spec }) => spec?.clusterIP !== "None");
    assert.deepEqual(
      open.map(({ spec }) => spec?.ports?.map(({ name }) => name)),
      [["http"]],
    );
  });

  test("the ServiceMonitor scrapes each pod once", async () => {
    const manifests = await render(everything);
    const [monitor] = ofKind(manifests, ServiceMonitor);
    const wanted = Object.entries(monitor?.spec.selector.matchLabels ?? {});
    const services = ofKind(manifests, Service).filter(({ metadata }) =>
      wanted.every(([key, value]) => metadata?.labels?.[key] === value),
    );
    const scraped = services
      .filter(({ spec }) => spec?.ports?.some(({ name }) => name === monitor?.spec.endpoints?.[0]?.port))
      .flatMap(({ spec }) => selected(manifests, spec?.selector));
    assert.deepEqual(
      scraped.sort(),
      componentsOf(manifests)
        .map(({ name }) => name)
        .sort(),
    );
  });

  test("the job of each pod is the one that the alerts expect, and alerts and dashboard are those of Compose", async () => {
    const manifests = await render(everything);
    const [monitor] = ofKind(manifests, ServiceMonitor);
    assert.deepEqual(monitor?.spec.endpoints?.[0]?.relabelings, [
      {
        sourceLabels: ["__meta_kubernetes_service_label_app_kubernetes_io_component"],
        targetLabel: "job",
        replacement: "muster-$1",
      },
    ]);
    const compose = resolve(import.meta.dirname, "../../compose");
    const [rules] = ofKind(manifests, PrometheusRule);
    const ruleFile = readFileSync(join(compose, "prometheus/muster.rules.yaml"), "utf8");
    assert.deepEqual(rules?.spec, parse(ruleFile), "run npm run generate:chart");
    const dashboard = ofKind(manifests, ConfigMap).find(({ data }) => data?.["muster.json"]);
    assert.deepEqual(
      JSON.parse(dashboard?.data?.["muster.json"] ?? ""),
      JSON.parse(readFileSync(join(compose, "grafana/muster.json"), "utf8")),
      "run npm run generate:chart",
    );
  });
});
