import { Empty } from "../parts/empty.tsx";
import { Page } from "../parts/page.tsx";
import type { Place } from "./places.ts";

/** Instead of a page whose requests would all be refused. */
export function Forbidden({ place: { label, anyOf } }: { place: Place }) {
  return (
    <Page title={label}>
      <Empty title="Your key may not open this page">
        It needs the permission {anyOf.join(" or ")}. An administrator can create a key with it.
      </Empty>
    </Page>
  );
}
