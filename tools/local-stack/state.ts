import { randomBytes } from 'node:crypto';
import { accessSync, constants, existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { LocalError, messageOf } from '../../src/cli/local-stack/errors.js';
import { readJsonFile, writePrivateFile } from '../../src/cli/local-stack/stack-file.js';
import { freePortExcept, portIsFree } from './ports.js';

// The files of the local stack in its data directory, besides the data of its servers.

/** @throws LocalError when the directory cannot be used. */
export function createDataDir(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true });
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new LocalError(
      `Cannot write to the data directory ${dataDir}: ${messageOf(error)}. ` +
        'Start as the user who owns it, or set TOPUP_DATA_DIR to another directory.',
    );
  }
}

/**
 * The ports of the servers that only the stack uses: the same at every start as long as they are free.
 * @param reserved ports that other processes will use.
 */
export async function choosePorts<Name extends string>(
  dataDir: string,
  names: readonly Name[],
  reserved: readonly number[] = [],
): Promise<Record<Name, number>> {
  const remembered = rememberedPorts<Name>(dataDir);
  const ports = new Map<Name, number>();
  for (const name of names) {
    const earlier = remembered[name];
    const usable = typeof earlier === 'number' && !reserved.includes(earlier) && (await portIsFree(earlier));
    ports.set(name, usable ? earlier : await freePortExcept([...reserved, ...ports.values()]));
  }
  const chosen = Object.fromEntries(ports) as Record<Name, number>;
  writePrivateFile(portsFile(dataDir), `${JSON.stringify(chosen)}\n`);
  return chosen;
}

/** The ports of the last start. */
export const rememberedPorts = <Name extends string>(dataDir: string): Partial<Record<Name, unknown>> =>
  readJsonFile(portsFile(dataDir)) ?? {};

const portsFile = (dataDir: string): string => path.join(dataDir, 'ports.json');

/** The path of the file with the key that encrypts secrets at rest: 32 random bytes in base64, made once. */
export function secretsKeyFile(dataDir: string): string {
  const file = path.join(dataDir, 'secrets-key');
  if (!existsSync(file)) writePrivateFile(file, `${randomBytes(32).toString('base64')}\n`);
  return file;
}

/** The bearer token of the supplier simulator, made once. */
export function simulatorToken(dataDir: string): string {
  const file = path.join(dataDir, 'simulator-token');
  if (!existsSync(file)) writePrivateFile(file, `${randomBytes(24).toString('hex')}\n`);
  return readText(file);
}

/** The file of an API key, of which the database has only a hash. */
export const demoApiKeyFile = (dataDir: string): string => path.join(dataDir, 'demo-api-key');
export const sandboxApiKeyFile = (dataDir: string): string => path.join(dataDir, 'sandbox-api-key');

/** Null before there is one. */
export const readApiKey = (file: string): string | null => (existsSync(file) ? readText(file) : null);

export const writeApiKey = (file: string, key: string): void => writePrivateFile(file, `${key}\n`);

export function readText(file: string): string {
  return readFileSync(file, 'utf8').trim();
}
