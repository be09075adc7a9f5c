import { create } from "@bufbuild/protobuf";
import { ResolveProviderKeysResponseSchema } from "@muster/proto/auth";
import { callerOf, forbidden, isPlatform } from "@muster/rpc";
import type { AuthContext } from "../context.ts";
import type { StoredProviderKey } from "../store/provider-keys.ts";
import type { Handler } from "./handler.ts";

export const resolveProviderKeys: Handler<"resolveProviderKeys"> = async (context, { projectId }, call) => {
  if (!isPlatform(callerOf(call))) throw forbidden("Only the platform itself reads keys of model providers.");
  const [keys, project] = await Promise.all([
    context.providerKeys.list(projectId),
    context.projects.find(projectId),
  ]);
  return create(ResolveProviderKeysResponseSchema, {
    providerKeys: keys.map((key) => ({ provider: key.provider, result: resultOf(context, key) })),
    approvals: project?.approvals ?? {},
  });
};

function resultOf({ secretBox, log }: AuthContext, { projectId, provider, sealed }: StoredProviderKey) {
  const opened = secretBox.open(sealed, [projectId, provider]);
  if (opened.ok) return { case: "key" as const, value: opened.text };
  const { problem } = opened;
  log.error({ projectId, provider, problem }, "a project's key for a model provider cannot be decrypted");
  return { case: "problem" as const, value: `${sentences[problem](provider, projectId)}` };
}

const sentences = {
  "unknown-key": (provider: string, projectId: string) =>
    `The key of the project ${projectId} for ${provider} was encrypted with a key that MUSTER_SECRETS_KEY no longer contains; the operator must add it, or an admin must set the provider's key again.`,
  damaged: (provider: string, projectId: string) =>
    `The stored key of the project ${projectId} for ${provider} is damaged; an admin must set it again.`,
};
