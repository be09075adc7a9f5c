import type { Logger, OpenedText, SealedText, SecretBox } from "@muster/service";
import { Reason, rpcError } from "./errors.ts";

interface Sealing {
  secretBox: SecretBox;
  log: Logger;
}

/** Encrypts a secret for the store. Throws INVALID_REQUEST if the installation cannot encrypt. */
export function seal(
  { secretBox }: Pick<Sealing, "secretBox">,
  text: string,
  belongsTo: readonly string[],
): SealedText {
  if (secretBox.seal !== undefined) return secretBox.seal(text, belongsTo);
  throw rpcError(
    Reason.INVALID_REQUEST,
    "This installation cannot store secrets, because it has nothing to encrypt them with. The operator must set MUSTER_SECRETS_KEY, for example to the output of openssl rand -hex 32.",
  );
}

/** The text, or a sentence for users that says why there is none. */
export type OpenedSecret = { text: string } | { problem: string };

/** The text, or a sentence for users, which begins with the title of the secret. */
export function openSecret(
  { secretBox, log }: Sealing,
  sealed: SealedText,
  belongsTo: readonly string[],
  title: string,
): OpenedSecret {
  const opened = secretBox.open(sealed, belongsTo);
  if (opened.ok) return { text: opened.text };
  const { problem } = opened;
  log.error({ secret: belongsTo, problem }, "a stored secret cannot be decrypted");
  return { problem: `${title} ${remedies[problem]}` };
}

const remedies: Record<Exclude<OpenedText, { ok: true }>["problem"], string> = {
  "unknown-key":
    "was encrypted with a key that MUSTER_SECRETS_KEY no longer contains; the operator must add it, or an admin must set it again.",
  damaged: "is damaged; an admin must set it again.",
};
