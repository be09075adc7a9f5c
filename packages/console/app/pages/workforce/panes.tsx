export type Pane = "conversation" | "terminal" | "video";

interface Props {
  panes: readonly Pane[];
  shown: Pane;
  onShow: (pane: Pane) => void;
  className?: string;
}

/** Chooses what is in a place. */
export function Panes({ panes, shown, onShow, className = "" }: Props) {
  return (
    <div className={`flex gap-1 ${className}`}>
      {panes.map((pane) => (
        <button
          key={pane}
          type="button"
          aria-pressed={pane === shown}
          onClick={() => onShow(pane)}
          className="rounded-card border border-transparent px-3 py-1 text-table font-medium text-muted capitalize hover:text-text aria-pressed:border-line aria-pressed:bg-panel aria-pressed:text-text max-md:h-10 max-md:flex-1"
        >
          {pane}
        </button>
      ))}
    </div>
  );
}
