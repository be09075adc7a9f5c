import { Page } from "../../parts/page.tsx";

export function Agents() {
  return <Page title="Agents">…</Page>;
}
