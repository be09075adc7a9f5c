import { flag, list, nullable, object, Type, text } from "@muster/wire/schema";
import { body, segmentOf, timeOf } from "./common.ts";

const projectId = segmentOf("The id of the project.");

export const projectParams = Type.Object({ projectId });

export const providerKeyParams = Type.Object({
  projectId,
  provider: segmentOf("The first part of the provider's model ids, such as `anthropic`."),
});

export const setProviderKeyBody = body(
  "SetProviderKeyRequest",
  "The project's own key.",
  { key: "sk-ant-api03-0123456789abcdef" },
  {
    key: text("The key, as the provider issued it: printable ASCII characters without spaces.", {
      minLength: 1,
      maxLength: 4_096,
      pattern: "^[!-~]*$",
    }),
  },
);

export const providerKeyReply = object(
  "ProviderKey",
  "A project's own key for a model provider, without the key.",
  {
    provider: text("The first part of the provider's model ids."),
    lastFour: nullable("The last 4 characters of the key; null for a key of fewer than 16 characters."),
    createdAt: timeOf("Since when the project has had a key for this provider."),
    updatedAt: timeOf("When the key was last set."),
  },
);

export const providerKeyListReply = object(
  "ProviderKeyList",
  "The providers for which the project has its own key.",
  { providerKeys: list("By provider.", providerKeyReply) },
);

export const deleteProviderKeyReply = object(
  "DeletedProviderKey",
  "The project has no key for the provider.",
  {
    provider: text("The provider."),
    deleted: flag("False if the project had no key for it."),
  },
);
