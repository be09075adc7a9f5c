import { createRootRoute } from "@tanstack/react-router";
import { Frame } from "./frame.tsx";
import { Missing } from "./missing.tsx";

/** The parent of every page. */
export const root = createRootRoute({ component: Frame, notFoundComponent: Missing });

/** Reads the filters of a page, plain texts of the address bar. Empty ones leave it. */
export function filters<const Name extends string>(...names: readonly Name[]) {
  return (search: Record<string, unknown>): Partial<Record<Name, string>> => {
    const read: Partial<Record<Name, string>> = {};
    for (const name of names) {
      const value = search[name];
      if (value !== undefined && value !== "") read[name] = String(value);
    }
    return read;
  };
}
