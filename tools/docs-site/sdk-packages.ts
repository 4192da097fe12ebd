import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import openapiTypescript, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { isolatedDeclarationSync } from 'rolldown/experimental';
import { transformSync } from 'rolldown/utils';
import { packTar } from './tar.js';

const TYPESCRIPT = 'sdk/typescript';
/** The types of bodies and answers. */
const TYPES = 'schema.ts';
const PHP = 'sdk/php';
/** The folder in the PHP package. Merchants unpack it into their own project. */
const PHP_FOLDER = 'order-topup-sdk-php';

/** The libraries as merchants install them, by file name. Their types are not checked here. */
export async function packSdks(root: string): Promise<Map<string, Buffer>> {
  const { name, version } = readJson<{ name: string; version: string }>(path.join(root, TYPESCRIPT, 'package.json'));
  return new Map([
    [`${name}-${version}.tgz`, packTar(await typescriptFiles(root))],
    [`${PHP_FOLDER}.tgz`, packTar(phpFiles(root))],
  ]);
}

/** npm unpacks the folder `package`. */
async function typescriptFiles(root: string): Promise<Map<string, string>> {
  const directory = path.join(root, TYPESCRIPT);
  const files = ['package.json', 'README.md'].map((name): [string, string] => [
    `package/${name}`,
    readFileSync(path.join(directory, name), 'utf8'),
  ]);
  // Not committed, and perhaps not written yet.
  const types = astToString(await openapiTypescript(readJson<OpenAPI3>(path.join(root, 'openapi.json'))));
  const names = [...new Set([...namesIn(path.join(directory, 'src')), TYPES])].sort();
  const compiled = names.flatMap((name) =>
    compile(`package/dist/${name}`, name === TYPES ? types : readFileSync(path.join(directory, 'src', name), 'utf8')),
  );
  return new Map([...files, ...compiled]);
}

const readJson = <Content>(file: string): Content => JSON.parse(readFileSync(file, 'utf8')) as Content;

function compile(file: string, text: string): [string, string][] {
  const { code, errors } = transformSync(file, text, { target: 'es2022', tsconfig: false });
  const declared = isolatedDeclarationSync(file, text);
  for (const { message } of [...errors, ...declared.errors]) throw new Error(`${file}: ${message}`);
  const target = file.slice(0, -'.ts'.length);
  return [
    [`${target}.js`, code],
    [`${target}.d.ts`, declared.code],
  ];
}

function phpFiles(root: string): Map<string, string> {
  const directory = path.join(root, PHP);
  const names = ['README.md', 'composer.json', ...namesIn(path.join(directory, 'src')).map((name) => `src/${name}`)];
  return new Map(names.map((name) => [`${PHP_FOLDER}/${name}`, readFileSync(path.join(directory, name), 'utf8')]));
}

const namesIn = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ts|php)$/.test(name))
    .map((name) => name.split(path.sep).join('/'))
    .sort();
