// Compares the installed packages with those that a part of the checkout needs.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const checkout = fileURLToPath(new URL('..', import.meta.url));
const packagesIn = (file) => JSON.parse(readFileSync(file, 'utf8')).packages;

/** The workspaces that pages are made with. */
export const PAGES = ['console', 'tools/docs-site'];

/**
 * npm leaves a copy of the lock file beside the packages: the two copies show whether anything differs.
 * @param workspaces whose packages must be there besides those of the service; all workspaces by default.
 */
export function isInstalled(workspaces, root = checkout) {
  const copy = path.join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(copy)) return false;
  const installed = packagesIn(copy);
  const wanted = packagesIn(path.join(root, 'package-lock.json'));
  const parts = ['', ...(workspaces ?? Object.keys(wanted).filter(isWorkspace))];
  const isAsWanted = ([place, { version, integrity }]) =>
    wanted[place]?.version === version && wanted[place].integrity === integrity;
  return (
    Object.entries(installed).every(isAsWanted) &&
    // Optional packages are those for other platforms.
    placesOf(parts, wanted).every((place) => place in installed || wanted[place].optional)
  );
}

const isWorkspace = (place) => place !== '' && !/(^|\/)node_modules\//.test(place);

/** The folders of the packages that these parts of the checkout need. */
function placesOf(parts, locked) {
  const places = new Set();
  const add = (place, names) => {
    const found = names.map((name) => lookUp(place, name, locked));
    for (const each of found.filter((one) => one !== undefined && !places.has(one))) {
      places.add(each);
      add(each, neededBy(locked[each]));
    }
  };
  for (const part of parts) add(part, [...neededBy(locked[part]), ...Object.keys(locked[part].devDependencies ?? {})]);
  return [...places];
}

function neededBy({ dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta }) {
  const peers = Object.keys(peerDependencies ?? {}).filter((name) => !peerDependenciesMeta?.[name]?.optional);
  return [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers];
}

/** Looks for a package as Node does: here, then in each folder above. */
function lookUp(place, name, locked) {
  for (let folder = place; ; folder = path.posix.dirname(folder)) {
    const candidate = path.posix.join(folder, 'node_modules', name);
    if (candidate in locked) return candidate;
    if (folder === '' || folder === '.') return undefined;
  }
}
