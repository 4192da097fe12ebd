import { describe, expect, it } from '@jest/globals';
import { OpnChannel } from './opn-channel.js';

const channel = new OpnChannel(undefined as never);
const OPN = 'https://api.omise.co';
const TEST = { public_key: 'pkey_test_1', secret_key: 'skey_test_1' };
const LIVE = { public_key: 'pkey_1', secret_key: 'skey_1' };

const read = (credentials: Record<string, string>, baseUrl = OPN): unknown =>
  channel.readSettings({ baseUrl, credentials, options: {} });

describe('the keys of a channel at Opn', () => {
  it('are live ones', () => expect(read(LIVE)).toMatchObject({ isLive: true }));

  it.each([OPN, `${OPN}/v1`, 'https://API.OMISE.CO:443', 'https://api.omise.co.'])(
    'are refused at %s if they move no real money',
    (baseUrl) => expect(() => read(TEST, baseUrl)).toThrow(/real money.+live keys/),
  );

  it('may be of the test mode at a simulator', () =>
    expect(read(TEST, 'http://127.0.0.1:4015')).toMatchObject({ isLive: false }));

  it('are refused if only one is of the test mode', () =>
    expect(() => read({ ...TEST, secret_key: 'skey_1' })).toThrow(/both/));
});

describe('the secret of webhooks', () => {
  const { problemOf } = OpnChannel.description.credentials.find(({ name }) => name === 'webhook_secret') ?? {};

  it.each(['', '!!!', 'a secret', 'YQ', 'QUJD REVG'])('is not %j, which is no key in base64', (value) =>
    expect(problemOf?.(value)).toMatch(/base64/),
  );

  it('is base64', () => expect(problemOf?.(Buffer.from('a webhook secret').toString('base64'))).toBeNull());
});
