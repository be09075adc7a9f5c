import { type Permission, permissions } from "@muster/rpc";

export function isPermission(text: string): text is Permission {
  return permissions.some((permission) => permission === text);
}
