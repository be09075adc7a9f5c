import { HTTPRoute } from "@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/HTTPRoute";
import { PrometheusRule } from "@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PrometheusRule";
import { ServiceMonitor } from "@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor";
import { Deployment } from "kubernetes-models/apps/v1/Deployment";
import { HorizontalPodAutoscaler } from "kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler";
import { CronJob } from "kubernetes-models/batch/v1/CronJob";
import { Ingress } from "kubernetes-models/networking.k8s.io/v1/Ingress";
import { NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicy";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1/PodDisruptionBudget";
import { ConfigMap } from "kubernetes-models/v1/ConfigMap";
import { PersistentVolumeClaim } from "kubernetes-models/v1/PersistentVolumeClaim";
import { Pod } from "kubernetes-models/v1/Pod";
import { Secret } from "kubernetes-models/v1/Secret";
import { Service } from "kubernetes-models/v1/Service";
import { ServiceAccount } from "kubernetes-models/v1/ServiceAccount";
import type { Manifest } from "./helm.ts";
import { isRecord } from "./records.ts";

/** Compiled from the schemas of Kubernetes 1.35, of the Gateway API and of the Prometheus operator. */
const models = [
  ConfigMap,
  CronJob,
  Deployment,
  HorizontalPodAutoscaler,
  HTTPRoute,
  Ingress,
  NetworkPolicy,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  PrometheusRule,
  Secret,
  Service,
  ServiceAccount,
  ServiceMonitor,
];

/** The refusals of the API server about an object, and the fields that it would drop. */
export function problemsOf({ apiVersion, kind, ...rest }: Manifest): string[] {
  const model = models.find((candidate) => candidate.apiVersion === apiVersion && candidate.kind === kind);
  if (model === undefined) return [`no schema for ${apiVersion} ${kind}`];
  const { observed, unread } = observe({ apiVersion, kind, ...rest });
  try {
    Reflect.apply(model.prototype.validate, observed, []);
  } catch (error) {
    return [String(error)];
  }
  return unread().map((path) => `unknown field ${path}`);
}

/**
 * The schemas of Kubernetes allow unknown fields, which the API server drops with no more than a warning. Their validators read each
 * field that they know, so a field that was never read is an unknown one.
 */
function observe(root: unknown): { observed: unknown; unread: () => string[] } {
  const read = new Set<string>();
  const wrap = (value: unknown, path: string): unknown => {
    if (typeof value !== "object" || value === null) return value;
    return new Proxy(value, {
      get: (target, key) => {
        const child: unknown = Reflect.get(target, key);
        if (typeof key !== "string" || !Object.hasOwn(target, key)) return child;
        read.add(`${path}/${key}`);
        return wrap(child, `${path}/${key}`);
      },
    });
  };
  return { observed: wrap(root, ""), unread: () => pathsOf(root, "").filter((path) => !read.has(path)) };
}

function pathsOf(value: unknown, path: string): string[] {
  const children = Array.isArray(value) || isRecord(value) ? Object.entries(value) : [];
  return children.flatMap(([key, child]) => [`${path}/${key}`, ...pathsOf(child, `${path}/${key}`)]);
}
