import { Page } from "../../parts/page.tsx";

export function Automation() {
  return <Page title="Automation">…</Page>;
}
