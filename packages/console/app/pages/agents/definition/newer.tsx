import { useState } from "react";
import { Button } from "../../../parts/button.tsx";
import { DefinitionDiff } from "../definition-diff.tsx";
import type { Definition } from "./definition-files.ts";
import type { useDraft } from "./use-draft.ts";

interface Props {
  draft: ReturnType<typeof useDraft>;
  newer: { version: number; stored: Definition };
  text: Definition;
}

/** Another author has saved a version meanwhile: the text stays, and its author decides. */
export function Newer({ draft, newer: { version, stored }, text }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <section
      role="status"
      aria-label="A newer version"
      className="grid gap-3 rounded-card border border-warn bg-panel p-4 text-table"
    >
      <p>
        <strong className="font-semibold">Version {version} was saved while you were writing.</strong> Your
        text is kept. Compare the two, then save yours on top or discard it.
      </p>
      <div className="flex flex-wrap gap-2">
        <Button aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Hide the comparison" : `Compare with version ${version}`}
        </Button>
        <Button onClick={draft.rebase}>Keep my text</Button>
        <Button look="danger" onClick={draft.discard}>
          Use version {version}
        </Button>
      </div>
      {isOpen && (
        <DefinitionDiff
          before={stored}
          after={text}
          beforeLabel={`version ${version}`}
          afterLabel="your text"
        />
      )}
    </section>
  );
}
