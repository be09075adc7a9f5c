import { Check, Copy as CopyIcon } from "lucide-react";
import { useState } from "react";

interface Props {
  text: string;
  /** The name of the text for readers of screens. */
  label: string;
  /** Shown beside the icon. */
  word?: string;
}

/** Copies a text with one click. */
export function Copy({ text, label, word }: Props) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1_500);
  };
  const Icon = isCopied ? Check : CopyIcon;
  return (
    <button
      type="button"
      onClick={() => void copy()}
      title={isCopied ? "Copied" : `Copy ${label}`}
      aria-label={isCopied ? "Copied" : `Copy ${label}`}
      className="inline-flex h-6 min-w-6 items-center justify-center gap-1 rounded-chip px-1 text-small text-muted hover:bg-raised hover:text-text"
    >
      <Icon size={14} aria-hidden="true" />
      {word}
    </button>
  );
}

/** An id that fits a table, and copies whole. */
export function Id({ id }: { id: string }) {
  return (
    <span className="inline-flex items-center gap-0.5 font-mono text-small">
      <span title={id}>{id.length > 16 ? `${id.slice(0, 8)}…${id.slice(-4)}` : id}</span>
      <Copy text={id} label={id} />
    </span>
  );
}

/** A command to copy. */
export function Command({ text }: { text: string }) {
  return (
    <span className="flex items-start gap-2 rounded-card border border-line bg-code px-3 py-2 text-left font-mono text-small text-code-text">
      <code className="min-w-0 flex-1 wrap-anywhere whitespace-pre-wrap">{text}</code>
      <Copy text={text} label="the command" />
    </span>
  );
}
