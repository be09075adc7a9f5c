import { Page } from "../../parts/page.tsx";

export function Approvals() {
  return <Page title="Approvals">…</Page>;
}
