import type { Permission } from "@muster/rpc";

/** Every permission there is; the type makes a forgotten one an error. */
const known: Record<Permission, true> = {
  sessions: true,
  agents: true,
  "mint-tokens": true,
  workforce: true,
  admin: true,
};

export function isPermission(text: string): text is Permission {
  return Object.hasOwn(known, text);
}

export const allPermissions: readonly Permission[] = Object.keys(known).filter(isPermission);
