import type { ReactNode } from "react";

/** An address that an agent or a user wrote: its host shows where it leads. Any other kind of address is only text. */
export function RemoteLink({ href, children }: { href: string; children: ReactNode }) {
  const url = URL.parse(href);
  if (url === null || !/^(?:https?|mailto):$/.test(url.protocol)) return <span>{children}</span>;
  return (
    <a href={url.href} target="_blank" rel="noreferrer noopener nofollow" className="text-accent underline">
      {children}
      {url.host !== "" && <span className="text-small text-muted"> ({url.host})</span>}
    </a>
  );
}
