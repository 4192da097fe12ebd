import { mkdirSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { localDataDir } from '../../src/core/project-root.js';
import { isExecutable, libraryPathOf } from '../../tools/local-stack/debian-packages.js';
import { findOrFetch, type Program } from './fetched-program.js';

interface Source {
  packages: string[];
  /** The program's name in the package, if it differs from the one on PATH. */
  file?: RegExp;
  env?: (root: string) => Record<string, string>;
}

const SOURCES = {
  curl: { packages: ['curl', 'ca-certificates'] },
  openssl: { packages: ['openssl'] },
  python3: { packages: ['python3'], env: (root) => ({ PYTHONHOME: path.join(root, 'usr') }) },
  php: { packages: ['php-cli'], file: /^php\d/, env: phpSettings },
  go: { packages: ['golang-go'] },
  nginx: { packages: ['nginx'] },
  caddy: { packages: ['caddy'] },
  'prometheus-alertmanager': { packages: ['prometheus-alertmanager'] },
  haproxy: { packages: ['haproxy'] },
  pgbouncer: { packages: ['pgbouncer'] },
  patroni: {
    packages: ['patroni'],
    env: (root) => ({ PYTHONPATH: path.join(root, 'usr', 'lib', 'python3', 'dist-packages') }),
  },
} satisfies Record<string, Source>;

export type ProgramName = keyof typeof SOURCES;

const finding = new Map<ProgramName, Promise<Program | null>>();

/** The program, on this machine or fetched; null if there is none and none can be fetched. */
export function findProgram(name: ProgramName): Promise<Program | null> {
  const found = finding.get(name) ?? find(name);
  finding.set(name, found);
  return found;
}

function find(name: ProgramName): Promise<Program | null> {
  const directory = path.join(localDataDir(), `${name}-package`);
  const { packages } = SOURCES[name];
  const findIn = (): Program | null => findUnpacked(name, directory);
  return findOrFetch({ names: [name], packages, directory, findUnpacked: findIn });
}

function findUnpacked(name: ProgramName, directory: string): Program | null {
  const source: Source = SOURCES[name];
  const root = path.join(directory, 'root');
  const file = ['usr/bin', 'usr/sbin']
    .flatMap((bin) => filesIn(path.join(root, bin)).map((each) => path.join(root, bin, each)))
    .find((each) => source.file?.test(path.basename(each)) ?? path.basename(each) === name);
  if (file === undefined || !isExecutable(file)) return null;
  // Go finds its library relative to its real path.
  const program = realpathSync(file);
  const libraries = name === 'go' ? null : libraryPathOf(root);
  return {
    program,
    env: { ...(libraries === null ? {} : { LD_LIBRARY_PATH: libraries }), ...source.env?.(root) },
  };
}

/** PHP has its extensions in files, which the scripts of its package would configure. We need only this one. */
function phpSettings(root: string): Record<string, string> {
  const library = path.join(root, 'usr', 'lib', 'php');
  const extensions = filesIn(library).find((name) => /^\d{8}$/.test(name)) ?? '';
  const configuration = path.join(root, 'topup-php');
  mkdirSync(configuration, { recursive: true });
  const lines = [`extension_dir = "${path.join(library, extensions)}"`, 'extension = ctype', ''];
  writeFileSync(path.join(configuration, 'extensions.ini'), lines.join('\n'));
  return { PHP_INI_SCAN_DIR: configuration };
}

function filesIn(directory: string): string[] {
  try {
    return readdirSync(directory).sort();
  } catch {
    return [];
  }
}
