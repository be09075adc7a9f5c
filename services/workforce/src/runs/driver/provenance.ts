import type { ComputerInfo } from "@muster/computers";
import type { Deployment } from "../../config.ts";
import type { AgentDocument } from "../../store/agent-document.ts";
import type { StoredProvenance, ThreadDocument } from "../../store/thread-document.ts";

/** The software and the computer that a thread shows as the executors of its next step. */
export function provenanceOf(
  {
    provenance: before,
    definitionVersion: version,
  }: Pick<ThreadDocument, "provenance" | "definitionVersion">,
  { deploymentId, commitSha }: Deployment,
  { definition: { slug } }: Pick<AgentDocument, "definition">,
  { kind, os, runtimeVersion, imageVersion, region }: ComputerInfo,
  at: Date,
): StoredProvenance {
  const deployments = before?.deployments ?? [];
  const isKnown = deployments.some(
    (each) => each.deploymentId === deploymentId && each.commitSha === commitSha,
  );
  return {
    deployments: isKnown ? deployments : [...deployments, { deploymentId, commitSha, firstSeenAt: at }],
    definition: slug === undefined ? null : { slug, version },
    computer: {
      ...{ kind, os, runtimeVersion: runtimeVersion ?? "" },
      ...(imageVersion !== null && { imageVersion }),
      ...(region !== null && { region }),
    },
  };
}
