import { hkdfSync } from 'node:crypto';
import type { Config } from '../../core/config.js';

/** A key for one purpose of each SECRETS_KEY: the first signs, and all of them verify. */
export function derivedKeys(config: Config, purpose: string): string[] {
  const keys = config.secretsKey ? [config.secretsKey, ...config.previousSecretsKeys] : [];
  return keys.map((key) => Buffer.from(hkdfSync('sha256', key, '', purpose, 32)).toString('base64'));
}
