import { type RefObject, useEffect, useLayoutEffect, useRef } from "react";

/** Nearer to the end, the reader follows the news. */
const nearPx = 30;

interface End {
  end: RefObject<HTMLDivElement | null>;
  /** Brings the next news into view, wherever the reader is. */
  follow: () => void;
}

/** For an element after the news. Each of them shows it, unless the reader has scrolled up. `isLive`: there may be news. */
export function useEnd(news: readonly unknown[], isLive = true): End {
  const end = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    const look = ({ target }: Event) => {
      if (!(target instanceof Element) || end.current === null || !target.contains(end.current)) return;
      const { bottom } = target.getBoundingClientRect();
      isAtEnd.current = end.current.getBoundingClientRect().top <= bottom + nearPx;
    };
    // Events of scrolling do not bubble.
    document.addEventListener("scroll", look, { capture: true, passive: true });
    return () => document.removeEventListener("scroll", look, { capture: true });
  }, []);
  useLayoutEffect(() => {
    if (isLive && isAtEnd.current) end.current?.scrollIntoView({ block: "nearest" });
  }, [isLive, ...news]);
  const follow = () => {
    isAtEnd.current = true;
  };
  return { end, follow };
}
