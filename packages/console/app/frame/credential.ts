import type { Credential } from "@muster/client";
import { createContext, use } from "react";

export const CredentialContext = createContext<Credential | undefined>(undefined);

/** Who is logged in. Pages are below a frame that knows it. */
export function useCredential(): Credential {
  const credential = use(CredentialContext);
  if (credential === undefined) throw new Error("used outside the frame");
  return credential;
}
