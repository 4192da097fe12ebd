// Packs packages into a few files each, so that a process finds and reads some tens of modules instead of 1,500.
import { isBuiltin } from 'node:module';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

/** Packages that look for files beside them when they run, and what of theirs must not be there twice. */
const UNPACKED = [
  // A child process, a package.json, a native addon.
  '@node-rs/argon2',
  'bull',
  'ioredis',
  // A worker thread, for LOG_PRETTY.
  'pino',
  // The pages of /queues and /docs.
  '@bull-board',
  'swagger-ui-dist',
];

const root = fileURLToPath(new URL('..', import.meta.url));

export const isUnpacked = (specifier) =>
  UNPACKED.some((name) => specifier === name || specifier.startsWith(`${name}/`));

/**
 * Writes a module for each specifier, and what they share beside them.
 * @param names of each specifier: what its module exports.
 */
export async function pack(names, dir) {
  const bundle = await rolldown({
    cwd: root,
    platform: 'node',
    input: Object.fromEntries([...names.keys()].map((specifier) => [specifier, `entry:${specifier}`])),
    external: isUnpacked,
    plugins: [entries(names), plainRequire],
    onLog(level, log, report) {
      // Of the drivers and transports that TypeORM and Nest know, those that are not installed.
      if (log.code !== 'UNRESOLVED_IMPORT') report(level, log);
    },
  });
  const { output } = await bundle.write({
    dir,
    format: 'esm',
    entryFileNames: '[name].mjs',
    chunkFileNames: 'chunks/[name].mjs',
    // Decorators need reflect-metadata before them, whatever file either is in.
    strictExecutionOrder: true,
    // Nest makes tokens and messages of class names.
    keepNames: true,
    // V8 keeps the text of what it has loaded, and two bytes for each character where one of them needs two: no process
    // holds the spaces and comments of packages.
    charset: 'ascii',
    comments: { legal: true, annotation: false, jsdoc: false },
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  });
  await bundle.close();
  const outside = output.flatMap(({ imports = [] }) => imports).filter((name) => !name.endsWith('.mjs'));
  const missing = outside.filter((name) => !isBuiltin(name) && !isUnpacked(name));
  if (missing.length > 0) throw new Error(`${dir} lacks ${[...new Set(missing)].join(', ')}`);
}

/** A module for each package, with the names that are imported of it. */
const entries = (names) => ({
  name: 'entries',
  resolveId: (id) => (id.startsWith('entry:') ? `\0${id}.mjs` : null),
  load(id) {
    const [, specifier] = /^\0entry:(.+)\.mjs$/.exec(id) ?? [];
    if (specifier === undefined) return null;
    return `import '${specifier}'; export { ${[...names.get(specifier)].join(', ')} } from '${specifier}';`;
  },
});

/** A bundler does not see what an ES module requires: TypeORM would be there twice, here and in node_modules. */
const plainRequire = {
  name: 'plain-require',
  transform: (code) => code.replace(/^(const|let|var) require = createRequire\(import\.meta\.url\);$/m, ''),
};
