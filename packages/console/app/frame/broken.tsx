import { Button } from "../parts/button.tsx";
import { Empty } from "../parts/empty.tsx";
import { Page } from "../parts/page.tsx";

/** Replaces a page whose code has failed. All other pages still work. */
export function Broken({ error }: { error: unknown }) {
  return (
    <Page title="This page is broken">
      <Empty title="The console cannot show this page">
        <p role="alert" className="mb-3 break-words">
          {error instanceof Error ? error.message : String(error)}
        </p>
        <Button onClick={() => location.reload()}>Load it again</Button>
      </Empty>
    </Page>
  );
}
