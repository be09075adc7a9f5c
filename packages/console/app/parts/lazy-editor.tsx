import { type ComponentProps, lazy, Suspense } from "react";
import { Skeleton } from "./empty.tsx";

const Editor = lazy(async () => ({ default: (await import("./editor.tsx")).Editor }));

/** The editor, which is larger than the rest of a page. */
export function LazyEditor(props: ComponentProps<typeof Editor>) {
  return (
    <Suspense fallback={<Skeleton />}>
      <Editor {...props} />
    </Suspense>
  );
}
