import { Link } from "@tanstack/react-router";
import { buttonShape } from "../parts/button.tsx";
import { Empty } from "../parts/empty.tsx";
import { Page } from "../parts/page.tsx";

export function Missing() {
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
