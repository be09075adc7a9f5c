import { MusterError } from "@muster/client";
import { Link } from "@tanstack/react-router";
import { buttonShape } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";

/** Whether the object does not exist, or no longer. */
export function isGone(error: Error | null | undefined): boolean {
  return error instanceof MusterError && error.status === 404;
}

/** Instead of a page whose object does not exist. */
export function Gone({ title, children }: { title: string; children: string }) {
  return (
    <Empty title={title}>
      <p className="mb-4">{children}</p>
      <Link to="/workforce" className={`${buttonShape} border-line bg-raised text-text`}>
        The whole workforce
      </Link>
    </Empty>
  );
}
