import { createServer } from "node:http";
import type { Manifest } from "./helm.ts";

export interface ApiServer extends AsyncDisposable {
  url: string;
  /** The objects that exist, by path. */
  objects: Map<string, Manifest>;
}

/** The kinds of the chart: API version, plural. */
const resources: ReadonlyArray<[apiVersion: string, plural: string, kind: string]> = [
  ["v1", "persistentvolumeclaims", "PersistentVolumeClaim"],
  ["v1", "pods", "Pod"],
  ["v1", "secrets", "Secret"],
  ["v1", "serviceaccounts", "ServiceAccount"],
  ["v1", "services", "Service"],
  ["apps/v1", "deployments", "Deployment"],
  ["networking.k8s.io/v1", "networkpolicies", "NetworkPolicy"],
  ["policy/v1", "poddisruptionbudgets", "PodDisruptionBudget"],
];

const discovery: Readonly<Record<string, unknown>> = {
  "/version": { major: "1", minor: "35", gitVersion: "v1.35.0" },
  "/api": { kind: "APIVersions", versions: ["v1"] },
  "/api/v1": resourcesOf("v1"),
  "/apis": {
    apiVersion: "v1",
    kind: "APIGroupList",
    groups: ["apps", "networking.k8s.io", "policy"].map(groupOf),
  },
  "/apis/apps/v1": resourcesOf("apps/v1"),
  "/apis/networking.k8s.io/v1": resourcesOf("networking.k8s.io/v1"),
  "/apis/policy/v1": resourcesOf("policy/v1"),
};

function groupOf(name: string) {
  const version = { groupVersion: `${name}/v1`, version: "v1" };
  return { name, versions: [version], preferredVersion: version };
}

function resourcesOf(groupVersion: string) {
  const listed = resources.filter(([version]) => version === groupVersion);
  const described = listed.map(([, name, kind]) => ({
    name,
    kind,
    namespaced: true,
    singularName: "",
    verbs: ["get"],
  }));
  return { apiVersion: "v1", kind: "APIResourceList", groupVersion, resources: described };
}

const notFound = { apiVersion: "v1", kind: "Status", status: "Failure", reason: "NotFound", code: 404 };

/** The part of the API server of Kubernetes that helm needs to look Secrets up while it renders. */
export async function startApiServer(): Promise<ApiServer> {
  const objects = new Map<string, Manifest>();
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://api");
    const body = discovery[pathname] ?? objects.get(pathname);
    response.writeHead(body === undefined ? 404 : 200, { "Content-Type": "application/json" });
    response.end(JSON.stringify(body ?? notFound));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    objects,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
