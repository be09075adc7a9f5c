import type { ComponentProps, ReactNode } from "react";

const looks = {
  primary: "primary border-transparent text-white hover:brightness-110",
  plain: "border-line bg-raised hover:border-faint",
  quiet: "border-transparent text-muted hover:bg-raised hover:text-text",
  danger: "border-line bg-raised text-bad hover:border-bad",
};

interface Props extends ComponentProps<"button"> {
  /** `primary`: the one action that a page is for. */
  look?: keyof typeof looks;
  icon?: ReactNode;
}

export function Button({ look = "plain", icon, className = "", children, ...rest }: Props) {
  return (
    <button type="button" className={`${buttonShape} ${looks[look]} ${className}`} {...rest}>
      {icon}
      {children}
    </button>
  );
}

/** Links that look like buttons share it. */
export const buttonShape =
  "inline-flex h-8 items-center justify-center gap-1.5 rounded-card border px-3 text-table font-medium whitespace-nowrap disabled:opacity-55 max-md:h-10 max-md:px-4";
