import { muster, refresh } from "../api.ts";
import { ifUnchanged } from "./edited.tsx";

/** Saves and deletes the item at a path of an address, and shows both where the address is shown. */
export function storedItem<Item extends { revision: number }>(
  address: string,
  path: string,
  onDeleted: () => void,
) {
  return {
    save: async (edited: Item, body: object): Promise<Item> => {
      const saved = await muster.request<Item>("PATCH", path, { headers: ifUnchanged(edited), body });
      await refresh(address, "/api/admin/audit");
      return saved;
    },
    remove: async () => {
      await muster.request("DELETE", path);
      await refresh(address, "/api/admin/audit");
      onDeleted();
    },
  };
}
