import { afterEach, describe, expect, it } from '@jest/globals';
import { ApiKeysService } from '../../src/auth/api-keys.service.js';
import { processesOf, readManifests } from '../support/manifests.js';
import { Client } from '../support/http.js';
import { TestStack } from '../support/stack.js';
import { ConsoleStack } from '../console/console-stack.js';

const PRIVATE = '127.0.0.1,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,fc00::/7';
/** X-Forwarded-For of a caller in a private network that claims another address: by a proxy that appends, and by one that replaces. */
const CLAIMED = '203.0.113.99';
const APPENDED = `${CLAIMED}, 10.8.0.5`;
const REPLACED = '10.8.0.5';

const log: string[] = [];
const logTo = { write: (line: string) => void log.push(line) };
let stack: TestStack;

afterEach(async () => {
  log.length = 0;
  await stack.close();
});

const start = async (trusted: string): Promise<void> => {
  stack = await TestStack.start({ TRUSTED_PROXIES: trusted, LOG_LEVEL: 'warn' }, { worker: false, logTo });
};

/** The address that the service takes for the caller's. It tries keys that allow one address each. */
async function callerOf(forwarded: string, ...addresses: string[]): Promise<string[]> {
  const { id } = await stack.merchant('0.00');
  const found: string[] = [];
  for (const address of addresses) {
    const { key } = await stack.api.get(ApiKeysService).issue(id, { allowedNetworks: [address] });
    const { status } = await new Client(stack.url, key).get('/v1/wallet', { 'x-forwarded-for': forwarded });
    if (status === 200) found.push(address);
  }
  return found;
}

const warnings = (): string[] => log.filter((line) => line.includes('X-Forwarded-For'));

describe('the address of a caller', () => {
  it.each([
    ['1', APPENDED, '10.8.0.5'],
    ['1', REPLACED, '10.8.0.5'],
    ['2', `${APPENDED}, 10.0.0.7`, '10.8.0.5'],
    ['127.0.0.1,10.0.0.7', `${APPENDED}, 10.0.0.7`, '10.8.0.5'],
    ['', APPENDED, '127.0.0.1'],
  ])('with TRUSTED_PROXIES %j and X-Forwarded-For %j is %s', async (trusted, forwarded, address) => {
    await start(trusted);
    expect(await callerOf(forwarded, CLAIMED, '10.8.0.5', '10.0.0.7', '127.0.0.1')).toEqual([address]);
    expect(warnings()).toEqual([]);
  });

  it('is the claimed one if callers are in a trusted network, and one log line warns of that', async () => {
    await start(PRIVATE);
    expect(await callerOf(REPLACED, '10.8.0.5')).toEqual(['10.8.0.5']);
    expect(warnings()).toEqual([]);
    expect(await callerOf(APPENDED, CLAIMED, '10.8.0.5')).toEqual([CLAIMED]);
    expect(warnings()).toEqual([
      expect.stringMatching(/"address":"10\.8\.0\.5".*set TRUSTED_PROXIES to the number of proxies/),
    ]);
  });
});

describe('in Kubernetes', () => {
  const settingsOf = (component: string) =>
    processesOf(readManifests()).find((process) => process.component === component)?.env ?? {};

  it('the API and the console trust the ingress controller, and no address that it forwards', async () => {
    await start(settingsOf('api').TRUSTED_PROXIES ?? '');
    for (const forwarded of [APPENDED, REPLACED])
      expect(await callerOf(forwarded, CLAIMED, '10.8.0.5')).toEqual(['10.8.0.5']);
    const { CONSOLE_TRUSTED_PROXIES = '' } = settingsOf('console');
    const console = await ConsoleStack.start({
      DATABASE_URL: stack.config.DATABASE_URL,
      CONSOLE_TRUSTED_PROXIES,
    });
    try {
      for (const forwarded of [APPENDED, REPLACED]) {
        const { email } = await console.operator();
        await console.browser(forwarded).post('/api/session', { email, password: 'wrong' });
        expect(
          await console.sql(`SELECT ip FROM operator_actions WHERE operator = $1 AND action = 'session.refused'`, [
            email,
          ]),
        ).toEqual([{ ip: '10.8.0.5' }]);
      }
    } finally {
      await console.close();
    }
  });
});
