import { LocalError } from '../../src/cli/local-stack/errors.js';
import { prepareDatabase } from './seed.js';

/** The variables of the sandbox besides those of the service. */
function readSandbox(env: NodeJS.ProcessEnv): {
  url: string;
  token: string;
  publicUrl: string;
  dataDir: string;
} {
  const { SIMULATOR_URL, SIMULATOR_TOKEN, TOPUP_DATA_DIR, PUBLIC_URL } = env;
  if (!SIMULATOR_URL || !SIMULATOR_TOKEN || !TOPUP_DATA_DIR) {
    throw new LocalError('Set SIMULATOR_URL, SIMULATOR_TOKEN and TOPUP_DATA_DIR.');
  }
  return {
    url: SIMULATOR_URL,
    token: SIMULATOR_TOKEN,
    // PORT of docker compose may begin with an address, as in localhost:127.0.0.1:3000.
    publicUrl: (PUBLIC_URL || 'http://localhost:3000').replace(/:[\d.]+:/, ':'),
    dataDir: TOPUP_DATA_DIR,
  };
}

function sandboxBanner(publicUrl: string, key: string | null): string {
  if (key === null) {
    return 'The database has merchants already, so nothing was seeded: the sandbox is for an empty one.';
  }
  const order =
    '{"reference_id":"sandbox-1","user_id":"player-1","server_id":"2001","items":[{"sku":"MLBB-86","quantity":1}]}';
  return [
    'The sandbox is ready.',
    '',
    `  Demo API key  ${key}`,
    '',
    `  curl -sS ${publicUrl}/v1/orders -H 'X-API-Key: ${key}' -H 'Content-Type: application/json' -d '${order}'`,
    `  curl -sS ${publicUrl}/v1/orders/sandbox-1 -H 'X-API-Key: ${key}'`,
  ].join('\n');
}

/**
 * Fills an empty database with a demo merchant, its money and a catalogue that the simulator sells, prints the
 * merchant's key, and ends. A second run prints the same key.
 */
async function main(): Promise<void> {
  const { publicUrl, dataDir, ...simulator } = readSandbox(process.env);
  const { apiKeys } = await prepareDatabase(process.env, dataDir, simulator);
  console.log(sandboxBanner(publicUrl, apiKeys?.demo ?? null));
}

await main().catch((error: unknown) => {
  console.error(error instanceof LocalError ? `sandbox: ${error.message}` : error);
  process.exitCode = 1;
});
