import { MusterError } from "@muster/client";
import { Link } from "@tanstack/react-router";
import { buttonShape } from "./button.tsx";
import { Empty } from "./empty.tsx";

/** Whether the object does not exist, or no longer. */
export function isGone(error: Error | null | undefined): boolean {
  return error instanceof MusterError && error.status === 404;
}

interface Props {
  title: string;
  /** The address of the others. */
  to: string;
  /** Their name, such as `All agents`. */
  others: string;
  children: string;
}

/** Instead of a page whose object does not exist. */
export function Gone({ title, to, others, children }: Props) {
  return (
    <Empty title={title}>
      <p className="mb-4">{children}</p>
      <Link to={to} className={`${buttonShape} border-line bg-raised text-text`}>
        {others}
      </Link>
    </Empty>
  );
}
