import { Page } from "../../parts/page.tsx";

export function Tools() {
  return <Page title="Tools">…</Page>;
}
