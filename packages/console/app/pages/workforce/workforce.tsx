import { Page } from "../../parts/page.tsx";

export function Workforce() {
  return <Page title="Workforce">…</Page>;
}
