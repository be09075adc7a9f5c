const systemPaths = ["/bin", "/dev", "/proc", "/usr"];

/** Made again for each command, and never stored: the shell's programs and devices. */
export function isSystemPath(path: string): boolean {
  return systemPaths.some((prefix) => path === prefix || path.startsWith(`${prefix}/`));
}
