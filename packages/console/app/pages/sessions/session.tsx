import { Page } from "../../parts/page.tsx";

export function Session() {
  return <Page title="Session">…</Page>;
}
