import { lazy, Suspense } from "react";

const Rendered = lazy(async () => ({ default: (await import("./markdown-text.tsx")).MarkdownText }));

/** A text of an agent or a user as Markdown, without HTML and images. Until its reader is loaded: the text. */
export function Markdown({ text }: { text: string }) {
  return (
    <Suspense fallback={<p className="break-words whitespace-pre-wrap">{text}</p>}>
      <Rendered text={text} />
    </Suspense>
  );
}
