import { crc32 } from "node:zlib";

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** 62 to the power of 6 is more than 2 to the power of 32. */
export const checksumLength = 6;

/** The CRC-32 of a text as 6 base-62 digits, the form that GitHub uses for its tokens. It finds typing errors; it proves nothing. */
export function checksumOf(text: string): string {
  let rest = crc32(text);
  let checksum = "";
  for (let i = 0; i < checksumLength; i++) {
    checksum = digits.charAt(rest % 62) + checksum;
    rest = Math.floor(rest / 62);
  }
  return checksum;
}
