// The licences of what production installs, read from the lockfile and the installed packages.
//   node scripts/licences.mjs           writes docs/licences.md
//   node scripts/licences.mjs --check   fails when that is out of date
//   node scripts/licences.mjs --sbom    prints a CycloneDX 1.5 bill of materials
// All three fail on a licence that is unknown or not in the list below.
import { Buffer } from 'node:buffer';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'Python-2.0',
  'Unlicense',
]);

const inCheckout = (place) => fileURLToPath(new URL(`../${place}`, import.meta.url));
const readJson = (place) => JSON.parse(readFileSync(inCheckout(place), 'utf8'));

const report = 'docs/licences.md';
const locked = readJson('package-lock.json').packages;

/** Every package that an install without development dependencies may bring, once for each version. */
function productionPackages() {
  const found = new Map();
  for (const [place, entry] of Object.entries(locked)) {
    // The checkout and its workspaces are our own packages.
    if (!place.startsWith('node_modules/') || entry.link || entry.dev) continue;
    const name = place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const { version, integrity } = entry;
    found.set(`${name}@${version}`, { name, version, integrity, licence: licenceOf(place, name, entry) });
  }
  return [...found.values()].sort((one, other) =>
    `${one.name}@${one.version}` < `${other.name}@${other.version}` ? -1 : 1,
  );
}

function licenceOf(place, name, entry) {
  if (entry.license) return entry.license;
  const manifest = `${place}/package.json`;
  if (existsSync(inCheckout(manifest))) {
    const { license, licenses } = readJson(manifest);
    // The form of old packages.
    const stated = license?.type ?? license ?? licenses?.map(({ type }) => type).join(' OR ');
    if (stated) return stated;
  }
  // A binary for another platform is not installed here. It has the licence of the package that depends on it.
  const whole = Object.values(locked).find(({ optionalDependencies }) => optionalDependencies?.[name]);
  return whole?.license ?? 'UNKNOWN';
}

/** `A OR B` gives a choice, `A AND B` does not; brackets do not change which of the two it is here. */
function isAllowed(licence) {
  return licence
    .replace(/[()]/g, '')
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((part) => ALLOWED.has(part.trim())));
}

function markdown(packages) {
  const sections = [...groupByLicence(packages)]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(
      ([licence, members]) =>
        `## ${licence}\n\n${members.map(({ name, version }) => `${name} ${version}`).join(' · ')}\n`,
    );
  return [
    '# Licences of the dependencies in production\n',
    `${packages.length} packages. Written by \`node scripts/licences.mjs\`, which fails on a licence that is unknown or not permissive.\n`,
    ...sections,
  ].join('\n');
}

function groupByLicence(packages) {
  const groups = new Map();
  for (const one of packages) groups.set(one.licence, [...(groups.get(one.licence) ?? []), one]);
  return groups;
}

function billOfMaterials(packages) {
  const { name, version } = readJson('package.json');
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: { type: 'application', name, version, 'bom-ref': `${name}@${version}` } },
    components: packages.map((one) => ({
      type: 'library',
      'bom-ref': `${one.name}@${one.version}`,
      name: one.name,
      version: one.version,
      purl: `pkg:npm/${one.name.replace('@', '%40')}@${one.version}`,
      licenses: [{ expression: one.licence }],
      ...(one.integrity && { hashes: hashesOf(one.integrity) }),
    })),
  };
}

/** The lockfile's `sha512-<base64>` as CycloneDX writes it. */
function hashesOf(integrity) {
  return integrity.split(' ').map((entry) => {
    const [algorithm, digest] = entry.split(/-(.*)/s);
    return {
      alg: algorithm.toUpperCase().replace('SHA', 'SHA-'),
      content: Buffer.from(digest, 'base64').toString('hex'),
    };
  });
}

const packages = productionPackages();
const refused = packages.filter(({ licence }) => !isAllowed(licence));
if (refused.length > 0) {
  console.error('These licences are unknown or not permissive: replace the package, or add the licence to ALLOWED.');
  for (const { name, version, licence } of refused) console.error(`  ${name} ${version}: ${licence}`);
  process.exit(1);
}
if (process.argv.includes('--sbom')) {
  console.log(JSON.stringify(billOfMaterials(packages), null, 2));
} else if (!process.argv.includes('--check')) {
  writeFileSync(inCheckout(report), markdown(packages));
} else if (!existsSync(inCheckout(report)) || readFileSync(inCheckout(report), 'utf8') !== markdown(packages)) {
  console.error(`${report} is out of date: run node scripts/licences.mjs`);
  process.exit(1);
}
