interface Props<Pane extends string> {
  panes: readonly Pane[];
  shown: Pane;
  onShow: (pane: Pane) => void;
  className?: string;
}

/** Chooses which of several panes is in a place. */
export function Panes<Pane extends string>({ panes, shown, onShow, className = "" }: Props<Pane>) {
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
