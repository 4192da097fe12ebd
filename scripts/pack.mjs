// Packs packages into a few files each, so that a process finds and reads some tens of modules instead of 1,500.
import { isBuiltin } from 'node:module';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

/** Packages that read files beside their own modules at run time, and packages whose state must not exist twice. */
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
 * Writes a module for each specifier, and the code that they share in files beside them.
 * @param names the exports of each specifier's module.
 */
export async function pack(names, dir) {
  const bundle = await rolldown({
    cwd: root,
    platform: 'node',
    input: Object.fromEntries([...names.keys()].map((specifier) => [specifier, `entry:${specifier}`])),
    external: isUnpacked,
    plugins: [entries(names), plainRequire],
    onLog(level, log, report) {
      // TypeORM and Nest name many drivers and transports that are not installed.
      if (log.code !== 'UNRESOLVED_IMPORT') report(level, log);
    },
  });
  const { output } = await bundle.write({
    dir,
    format: 'esm',
    entryFileNames: '[name].mjs',
    chunkFileNames: 'chunks/[name].mjs',
    // reflect-metadata must run before any decorator, whichever files the two are in.
    strictExecutionOrder: true,
    // Nest makes tokens and messages from class names.
    keepNames: true,
    // V8 keeps the text of loaded modules, with two bytes for every character if one character needs two. Short ASCII text
    // saves memory in each process.
    charset: 'ascii',
    comments: { legal: true, annotation: false, jsdoc: false },
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  });
  await bundle.close();
  const outside = output.flatMap(({ imports = [] }) => imports).filter((name) => !name.endsWith('.mjs'));
  const missing = outside.filter((name) => !isBuiltin(name) && !isUnpacked(name));
  if (missing.length > 0) throw new Error(`${dir} lacks ${[...new Set(missing)].join(', ')}`);
}

/** Resolves a module for each package, which exports the names that the build imports. */
const entries = (names) => ({
  name: 'entries',
  resolveId: (id) => (id.startsWith('entry:') ? `\0${id}.mjs` : null),
  load(id) {
    const [, specifier] = /^\0entry:(.+)\.mjs$/.exec(id) ?? [];
    if (specifier === undefined) return null;
    return `import '${specifier}'; export { ${[...names.get(specifier)].join(', ')} } from '${specifier}';`;
  },
});

/** The bundler does not see a `require` made by createRequire: TypeORM would be loaded twice, from here and from node_modules. */
const plainRequire = {
  name: 'plain-require',
  transform: (code) => code.replace(/^(const|let|var) require = createRequire\(import\.meta\.url\);$/m, ''),
};
