import ipaddr from "ipaddr.js";

/** Only these are assigned to the public internet; all embeddings of IPv4 but 6to4 and Teredo are outside. */
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");
/** A public address by its number, but the machine's own metadata service in Azure. */
const hostServices = new Set(["168.63.129.16"]);

/** Whether an IP address belongs to the public internet. False for text that is not an address, and for one with a zone. */
export function isPublicAddress(address: string): boolean {
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) {
    return ipaddr.IPv4.parse(address).range() === "unicast" && !hostServices.has(address);
  }
  if (address.includes("%") || !ipaddr.IPv6.isValid(address)) return false;
  const parsed = ipaddr.IPv6.parse(address);
  return parsed.range() === "unicast" && parsed.match(globalUnicast);
}
