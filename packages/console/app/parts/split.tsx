import { X } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import { useKey } from "../frame/keys.ts";
import { Button } from "./button.tsx";

/** A list, and at its right the details of a row; on a phone instead of the list. */
export function Split({ children, details }: { children: ReactNode; details?: ReactNode }) {
  const isOpen = details !== undefined && details !== null && details !== false;
  return (
    <div
      className={`grid h-full min-h-0 grid-cols-[minmax(0,1fr)] grid-rows-[minmax(0,1fr)] gap-4 ${isOpen ? "lg:grid-cols-[minmax(0,1fr)_26rem]" : ""}`}
    >
      <div className={`flex min-h-0 min-w-0 flex-col gap-3 ${isOpen ? "max-lg:hidden" : ""}`}>{children}</div>
      {details}
    </div>
  );
}

interface Props {
  title: string;
  onClose: () => void;
  children: ReactNode;
}

/** The details beside a list. Takes the focus when it opens, and returns it when it closes. */
export function Panel({ title, onClose, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  const body = useRef<HTMLDivElement>(null);
  // A secret cannot be shown again.
  useKey("Escape", () => body.current?.querySelector("[data-secret]") === null && onClose());
  useEffect(() => {
    const opener = document.activeElement;
    return () => {
      // Another place may have taken it.
      if (document.activeElement === document.body && opener instanceof HTMLElement) opener.focus();
    };
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another title is another row
  useEffect(() => {
    // Or a new name of the same row, in which the user may be typing.
    if (!body.current?.contains(document.activeElement)) heading.current?.focus();
  }, [title]);
  return (
    <section
      aria-label={title}
      className="flex min-h-0 min-w-0 flex-col overflow-hidden rounded-card border border-line bg-panel"
    >
      <header className="flex items-center gap-2 border-b border-line py-1.5 pr-1.5 pl-4">
        <h2
          ref={heading}
          tabIndex={-1}
          className="min-w-0 flex-1 truncate text-body font-semibold outline-none"
        >
          {title}
        </h2>
        <Button look="quiet" aria-label="Close" onClick={onClose} className="px-2!">
          <X size={16} aria-hidden="true" />
        </Button>
      </header>
      <div ref={body} className="grid min-h-0 content-start gap-5 overflow-auto p-4 *:mb-0">
        {children}
      </div>
    </section>
  );
}
