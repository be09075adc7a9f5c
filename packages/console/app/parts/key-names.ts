import type { KeyList } from "@muster/client";
import { useApi } from "../api.ts";
import { useCredential } from "../frame/credential.ts";

/** The name of the key that has done something; its id if this key may not read it. */
export function useKeyNames(): (keyId: string) => string {
  const { permissions, keyId: ownId } = useCredential();
  const keys = useApi<KeyList>(permissions.includes("admin") ? "/api/admin/keys" : null);
  return (keyId) => {
    const name = keys.data?.keys.find(({ id }) => id === keyId)?.name;
    if (keyId === ownId) return name === undefined ? "you" : `you (${name})`;
    return name ?? (keys.isLoading ? "…" : keyId);
  };
}
