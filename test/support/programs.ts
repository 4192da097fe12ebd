import { mkdirSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { localDataDir } from '../../src/core/project-root.js';
import {
  canFetchPackages,
  findOnPath,
  isExecutable,
  libraryPathOf,
  unpackPackages,
} from '../../tools/local-stack/debian-packages.js';

/** How to run a program on this machine. */
export interface Program {
  program: string;
  /** What it needs when it does not belong to the system. */
  env: Record<string, string>;
}

interface Source {
  packages: string[];
  /** The program's name in the package, where another one than on PATH. */
  file?: RegExp;
  env?: (root: string) => Record<string, string>;
}

const SOURCES = {
  curl: { packages: ['curl', 'ca-certificates'] },
  openssl: { packages: ['openssl'] },
  python3: { packages: ['python3'], env: (root) => ({ PYTHONHOME: path.join(root, 'usr') }) },
  php: { packages: ['php-cli'], file: /^php\d/, env: phpSettings },
  go: { packages: ['golang-go'] },
} satisfies Record<string, Source>;

export type ProgramName = keyof typeof SOURCES;

const finding = new Map<ProgramName, Promise<Program | null>>();

/**
 * Finds a program on PATH; on Debian its package is otherwise fetched once and unpacked below `.local`, as the package of
 * Redis is.
 * @returns null where there is none and none can be had.
 */
export function findProgram(name: ProgramName): Promise<Program | null> {
  const found = finding.get(name) ?? find(name);
  finding.set(name, found);
  return found;
}

async function find(name: ProgramName): Promise<Program | null> {
  const program = findOnPath([name]);
  if (program !== null) return { program, env: {} };
  const directory = path.join(localDataDir(), `${name}-package`);
  const unpacked = findUnpacked(name, directory);
  if (unpacked !== null || !canFetchPackages()) return unpacked;
  process.stderr.write(`No ${name} on PATH: fetching the Debian package once, without installing it ...\n`);
  try {
    await unpackPackages(directory, SOURCES[name].packages);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  }
  return findUnpacked(name, directory);
}

function findUnpacked(name: ProgramName, directory: string): Program | null {
  const source: Source = SOURCES[name];
  const root = path.join(directory, 'root');
  const bin = path.join(root, 'usr', 'bin');
  const file = filesIn(bin).find((each) => source.file?.test(each) ?? each === name);
  if (file === undefined || !isExecutable(path.join(bin, file))) return null;
  // Go finds its library from where it really is.
  const program = realpathSync(path.join(bin, file));
  const libraries = name === 'go' ? null : libraryPathOf(root);
  return {
    program,
    env: { ...(libraries === null ? {} : { LD_LIBRARY_PATH: libraries }), ...source.env?.(root) },
  };
}

/** PHP has its extensions in files, which the scripts of its package would set up; nothing of ours needs more than this one. */
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
