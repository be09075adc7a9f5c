import { createRootRoute, Link } from "@tanstack/react-router";
import { buttonShape } from "../parts/button.tsx";
import { Empty } from "../parts/empty.tsx";
import { Page } from "../parts/page.tsx";
import { Frame } from "./frame.tsx";

/** The parent of every page. */
export const root = createRootRoute({ component: Frame, notFoundComponent: Missing });

function Missing() {
  return (
    <Page title="Not found">
      <Empty title="The console has no such page">
        <Link to="/" className={`${buttonShape} border-line bg-raised`}>
          Home
        </Link>
      </Empty>
    </Page>
  );
}

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
