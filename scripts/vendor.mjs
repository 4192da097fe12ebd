// The second step of `npm run build:service`: packs the packages that the build imports into some thirty files of dist/vendor, and
// points the imports of the build to them. Otherwise a process spends most of its start on finding and reading 1,500 modules.
// Nothing else in the compiled files changes, and they also work without this step, with a slower start.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'rolldown/experimental';
import { isUnpacked, pack } from './pack.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = path.join(root, 'dist');
const vendor = path.join(dist, 'vendor');
const { dependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));

const isPacked = (specifier) => /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] in dependencies && !isUnpacked(specifier);

const files = readdirSync(dist, { recursive: true })
  .filter((file) => file.endsWith('.js') && !/^(console|site)\b/.test(file))
  .map((file) => path.join(dist, file));
/** The names that the build imports from each package. */
const imported = new Map();

/** The imports and re-exports of packed packages in a file; null instead of names means all names. */
function importsOf(file) {
  const text = readFileSync(file, 'utf8');
  const { staticImports, staticExports, dynamicImports } = parseSync(file, text).module;
  const requests = [
    ...staticImports.map(({ moduleRequest, entries }) => ({ ...moduleRequest, names: namesOf(entries) })),
    ...staticExports.flatMap(({ entries }) =>
      entries
        .filter(({ moduleRequest }) => moduleRequest)
        .map((entry) => ({ ...entry.moduleRequest, names: namesOf([entry]) })),
    ),
    // A computed specifier names no package.
    ...dynamicImports.map(({ moduleRequest: { start, end } }) => {
      const value = /^(['"])(.*)\1$/.exec(text.slice(start, end))?.[2] ?? '';
      return { value, start, end, names: null };
    }),
  ];
  return { text, requests: requests.filter(({ value }) => isPacked(value)) };
}

function namesOf(entries) {
  const names = entries.map(({ importName: { kind, name } }) => (kind === 'Default' ? 'default' : name));
  return names.includes(null) ? null : names;
}

async function addNames(specifier, names) {
  const known = imported.get(specifier) ?? new Set();
  imported.set(specifier, known);
  for (const name of names ?? Object.keys(await import(specifier))) if (name !== 'module.exports') known.add(name);
}

/** Changes only the text between the quotes, so that source maps still fit. */
function redirectImports(file, { text, requests }) {
  let redirected = text;
  // All names of one statement share one specifier, which is changed once.
  const byStart = new Map(requests.map((request) => [request.start, request]));
  for (const { value, start, end } of [...byStart.values()].sort((one, other) => other.start - one.start)) {
    const target = path.relative(path.dirname(file), path.join(vendor, `${value}.mjs`));
    const specifier = target.startsWith('.') ? target : `./${target}`;
    redirected = redirected.slice(0, start + 1) + specifier + redirected.slice(end - 1);
  }
  if (redirected !== text) writeFileSync(file, redirected);
}

const found = new Map(files.map((file) => [file, importsOf(file)]));
for (const { value, names } of [...found.values()].flatMap(({ requests }) => requests)) await addNames(value, names);
await pack(imported, vendor);
for (const [file, each] of found) redirectImports(file, each);
