import type { Credential } from "@muster/client";
import {
  Bot,
  CalendarClock,
  ChartColumn,
  CircleCheckBig,
  Cpu,
  House,
  MessagesSquare,
  Settings,
  Users,
  Wrench,
} from "lucide-react";

type Permission = Credential["permissions"][number];

/** A page of the side bar. */
export interface Place {
  label: string;
  to: string;
  icon: typeof Bot;
  /** Any one of them is enough. Empty: everyone. */
  anyOf: readonly Permission[];
  /** Shown in the bar of phones. */
  isOnPhone?: true;
}

export const places: readonly Place[] = [
  { label: "Home", to: "/", icon: House, anyOf: [], isOnPhone: true },
  { label: "Sessions", to: "/sessions", icon: MessagesSquare, anyOf: ["sessions"], isOnPhone: true },
  { label: "Agents", to: "/agents", icon: Bot, anyOf: ["agents", "sessions"] },
  { label: "Workforce", to: "/workforce", icon: Users, anyOf: ["workforce"], isOnPhone: true },
  { label: "Approvals", to: "/approvals", icon: CircleCheckBig, anyOf: ["approve"], isOnPhone: true },
  { label: "Automation", to: "/automation", icon: CalendarClock, anyOf: ["workforce", "admin"] },
  { label: "Tools", to: "/tools", icon: Wrench, anyOf: ["admin"] },
  { label: "Models", to: "/models", icon: Cpu, anyOf: [] },
  { label: "Usage", to: "/usage", icon: ChartColumn, anyOf: ["admin"] },
  { label: "Settings", to: "/settings", icon: Settings, anyOf: ["admin", "mint-tokens"] },
];

export function mayOpen(credential: Credential, { anyOf }: Pick<Place, "anyOf">): boolean {
  return anyOf.length === 0 || anyOf.some((permission) => credential.permissions.includes(permission));
}
