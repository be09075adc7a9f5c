import { Type } from "@muster/wire/schema";
import { idSegment, nullable, text, timeOf } from "./common.ts";

const projectId = { ...idSegment, description: "The id of the project." };

export const projectParams = Type.Object({ projectId });

export const providerKeyParams = Type.Object({
  projectId,
  provider: { ...idSegment, description: "The first part of the provider's model ids, such as `anthropic`." },
});

export const setProviderKeyBody = Type.Object(
  {
    key: Type.String({
      minLength: 1,
      maxLength: 4_096,
      pattern: "^[!-~]*$",
      description: "The key, as the provider issued it: printable ASCII characters without spaces.",
    }),
  },
  {
    title: "SetProviderKeyRequest",
    description: "The project's own key.",
    examples: [{ key: "sk-ant-api03-0123456789abcdef" }],
  },
);

export const providerKeyReply = Type.Object(
  {
    provider: text("The first part of the provider's model ids."),
    lastFour: nullable(
      Type.String(),
      "The last 4 characters of the key; null for a key of fewer than 16 characters.",
    ),
    createdAt: timeOf("Since when the project has had a key for this provider."),
    updatedAt: timeOf("When the key was last set."),
  },
  { title: "ProviderKey", description: "A project's own key for a model provider, without the key." },
);

export const providerKeyListReply = Type.Object(
  { providerKeys: Type.Array(providerKeyReply, { description: "By provider." }) },
  { title: "ProviderKeyList", description: "The providers for which the project has its own key." },
);

export const deleteProviderKeyReply = Type.Object(
  {
    provider: text("The provider."),
    deleted: Type.Boolean({ description: "False if the project had no key for it." }),
  },
  { title: "DeletedProviderKey", description: "The project has no key for the provider." },
);
