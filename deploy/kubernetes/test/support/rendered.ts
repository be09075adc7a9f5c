import assert from "node:assert/strict";
import { Deployment, type IDeployment } from "kubernetes-models/apps/v1/Deployment";
import type { IContainer } from "kubernetes-models/v1/Container";
import type { IPodSpec } from "kubernetes-models/v1/PodSpec";
import type { Manifest } from "./helm.ts";

export const componentNames = ["gateway", "auth", "agents", "sessions", "workforce", "recorder"] as const;
export type ComponentName = (typeof componentNames)[number];

/** One component of a rendered chart. */
export interface Component {
  name: ComponentName;
  deployment: IDeployment;
  pod: IPodSpec;
  podLabels: Readonly<Record<string, string>>;
  container: IContainer;
}

export const componentLabel = "app.kubernetes.io/component";

export function componentsOf(manifests: readonly Manifest[]): Component[] {
  return manifests.filter(isDeployment).map((deployment) => {
    const template = deployment.spec?.template;
    const podLabels = template?.metadata?.labels ?? {};
    const name = componentNames.find((candidate) => candidate === podLabels[componentLabel]);
    const container = template?.spec?.containers[0];
    assert.ok(template?.spec && container && name, `${deployment.metadata?.name} has a container and a name`);
    return { name, deployment, pod: template.spec, podLabels, container };
  });
}

function isDeployment(manifest: Manifest): manifest is Manifest & IDeployment {
  return Deployment.is(manifest);
}

/** The objects of one kind, with the type of its model. */
export function ofKind<T>(
  manifests: readonly Manifest[],
  model: { is: (value: unknown) => value is T },
): T[] {
  return manifests.filter((manifest): manifest is Manifest & T => model.is(manifest));
}
