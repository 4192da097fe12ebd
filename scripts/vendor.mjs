// The second step of `npm run build:service`: packs the packages that the build imports into some thirty files of dist/vendor, and
// makes the build import those. Finding and reading 1,500 modules is most of a start otherwise. The compiler's own files
// stay as they are but for these imports; without this step they work just the same, only later.
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
/** The names that are imported of each package. */
const imported = new Map();

/** What a file imports and exports of packages that are packed; null in the place of names is everything. */
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
    // What is computed is no name of a package.
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

/** Only what is between the quotes changes: source maps still fit. */
function redirectImports(file, { text, requests }) {
  let redirected = text;
  // Names of one statement have one request, which is changed once.
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
