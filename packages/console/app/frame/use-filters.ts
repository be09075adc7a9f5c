import { useNavigate, useSearch } from "@tanstack/react-router";
import { filters } from "./root-route.tsx";

/** The filters of the page's address, and what changes some of them. An empty one leaves the address. */
export function useFilters<const Name extends string>(...names: readonly Name[]) {
  const search: Record<string, unknown> = useSearch({ strict: false });
  const navigate = useNavigate();
  const change = (changed: { readonly [Key in Name]?: string | undefined }, { replace = false } = {}) => {
    const next = Object.entries({ ...search, ...changed }).filter(([, value]) => value !== "");
    void navigate({ to: ".", search: Object.fromEntries(next), replace });
  };
  return [filters(...names)(search), change] as const;
}
