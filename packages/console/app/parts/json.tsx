import { Copy } from "./copy.tsx";

/** A value as indented JSON, to copy. */
export function Json({ value, label = "the JSON" }: { value: unknown; label?: string }) {
  const text = JSON.stringify(value, null, 2) ?? "undefined";
  return (
    <div className="relative rounded-card border border-line bg-code">
      <div className="absolute top-1 right-1">
        <Copy text={text} label={label} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls needs the keyboard */}
      <pre tabIndex={0} className="max-h-96 overflow-auto p-3 pr-10 font-mono text-small text-code-text">
        {text}
      </pre>
    </div>
  );
}
