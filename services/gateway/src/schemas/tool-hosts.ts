import { flag, list, nullable, object, optional, Type, text } from "@muster/wire/schema";
import { body, segmentOf, timeOf } from "./common.ts";
import { setToolSecretExample } from "./examples.ts";

const host = text(
  "The host as in a URL, in lower case, with its port unless it is that of https: `api.example.com`, `10.0.0.7:8080`.",
  { minLength: 1, maxLength: 255 },
);

const toolHost = object("ToolHost", "A host on which the platform may call HTTP tools.", {
  host,
  untrusted: flag("True if models must not trust its results."),
});

export const toolHosts = list("The only hosts on which the platform calls HTTP tools.", toolHost);

/** The same in a body that replaces them. The responsible service checks the hosts. */
export const toolHostChanges = nullable(
  "Replaces all hosts of HTTP tools; null removes them. Each is a text, or an object if its results are untrusted. Their secrets stay.",
  Type.Array(
    Type.Union([
      host,
      Type.Object({ host, untrusted: optional(flag("True if models must not trust its results.")) }),
    ]),
    { maxItems: 100 },
  ),
);

export const toolSecretsParams = Type.Object({ projectId: segmentOf("The id of the project.") });

export const toolSecretParams = Type.Object({ projectId: segmentOf("The id of the project."), host });

export const setToolSecretBody = body(
  "SetToolSecretRequest",
  "The secret, or an empty object for a generated one.",
  setToolSecretExample,
  {
    secret: optional(
      text(
        "`whsec_` followed by 24 to 64 bytes in base64, as in Standard Webhooks. Default: a generated one.",
        {
          minLength: 1,
          maxLength: 200,
        },
      ),
    ),
  },
);

const toolSecretFields = {
  host,
  lastFour: text("The last 4 characters of the secret."),
  createdAt: timeOf("Since when the project has had a secret for this host."),
  updatedAt: timeOf("When the secret was last set."),
};

export const toolSecretReply = object(
  "SetToolSecret",
  "The secret for a host. The secret itself only if the server has generated it.",
  { ...toolSecretFields, secret: optional(text("The generated secret, which is shown only once.")) },
);

export const toolSecretListReply = object("ToolSecretList", "The hosts for which the project has a secret.", {
  toolSecrets: list(
    "By host.",
    object("ToolSecret", "The secret for a host, without the secret.", toolSecretFields),
  ),
});

export const deleteToolSecretReply = object("DeletedToolSecret", "The project has no secret for the host.", {
  host,
  deleted: flag("False if the project had no secret for it."),
});
