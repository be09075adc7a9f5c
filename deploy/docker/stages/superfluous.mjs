// Files that packages bring along and the product never reads: about half of an installation by npm.

/** Files for compilers, debuggers and readers. Node runs no TypeScript inside node_modules. */
const fileEndings = /\.(?:map|[cm]?tsx?|mdx?|markdown|tsbuildinfo|scss)$/;
/** Folders at the top of a package. Deeper ones may have the same names and contain code. */
const topFolders =
  /^(?:test|tests|__tests__|spec|docs|doc|example|examples|bench|benchmark|benchmarks|coverage|\.[^/]+)\//;
/** Files that licences ask for stay. */
const legal = /(?:^|\/)(?:licen[cs]e|copying|copyright|notice|patents|authors|contributors)[^/]*$/i;

/**
 * Large files of single packages: builds for other places than Node, for debuggers, and fonts that no video uses. A
 * pattern that no longer matches anything is an error, since the package has changed.
 */
const byPackage = {
  "@libav.js/variant-webm-vp9": /^dist\/libav-[\d.]+-webm-vp9\.(?:asm|thr)\./,
  mediabunny: /^(?:src|dist\/bundles)\//,
  "@expo-google-fonts/inter": /^(?!400Regular\/|400Regular_Italic\/|600SemiBold\/)[^/]+\/.*\.ttf$/,
  "@expo-google-fonts/jetbrains-mono": /^(?!400Regular\/|700Bold\/)[^/]+\/.*\.ttf$/,
};

/** Whether the image can do without a file of an installed package. `path`: inside the package, with `/`. */
export function isSuperfluous(packageName, path) {
  if (legal.test(path)) return false;
  return fileEndings.test(path) || topFolders.test(path) || (byPackage[packageName]?.test(path) ?? false);
}

/** The packages of `byPackage` that no longer have any of these files. */
export function outdatedPatterns(files) {
  const matched = new Set(
    files.filter(({ name, file }) => byPackage[name]?.test(file)).map(({ name }) => name),
  );
  return Object.keys(byPackage).filter((name) => !matched.has(name));
}
