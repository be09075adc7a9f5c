/** Names the package of a program that the system lacks. */
export function missing(program: string, debianPackage: string): Error {
  return new Error(
    `${program} was not found on the PATH. Install it, for example with \`apt-get install ${debianPackage}\`, or put a folder that contains it on the PATH.`,
  );
}
