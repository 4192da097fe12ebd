import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Topup, WebhookVerifier } from '../../sdk/typescript/src/index.js';
import { keptPort } from '../support/kept-port.js';
import { eventually } from '../support/eventually.js';
import { refused } from '../support/fake-supplier.js';
import { TestStack, unique, type TestMerchant } from '../support/stack.js';
import { fetchServed } from '../support/until-served.js';
import { WebhookReceiver, type Received } from '../support/webhook-receiver.js';
import { BuiltSdk } from './built-sdk.js';
import { Listening } from './listening.js';
import { ScriptedService } from './scripted-service.js';

let stack: TestStack;
let receiver: WebhookReceiver;
let sku: string;
let merchant: TestMerchant;
let topup: Topup;
let path: string;
let listening: Listening;

beforeAll(async () => {
  stack = await TestStack.start();
  receiver = await new WebhookReceiver('forwarded events').listen();
  sku = await stack.product('1.00');
  stack.supplier.script('fails', ({ reference }) => refused(reference, 'OUT_OF_STOCK'));
});

beforeEach(async () => {
  merchant = await stack.merchant();
  topup = new Topup({ apiKey: merchant.key, baseUrl: stack.url });
  path = `/${unique('hook')}`;
  listening = new Listening(stack.url, merchant.key, receiver.url(path));
});

afterEach(() => listening.close());

afterAll(async () => {
  await stack.close();
  await receiver.close();
});

/** Buys one unit, and waits for its end. @returns the order's reference. */
async function buy(userId = 'player-1'): Promise<string> {
  const reference = unique('listen');
  await topup.orders.createAndWait({ reference_id: reference, user_id: userId, items: [{ sku }] });
  return reference;
}

const arrived = (count: number): Promise<Received[]> =>
  eventually(
    () => receiver.at(path),
    ({ length }) => length >= count,
  );

const referencesOf = (all: Received[]): unknown[] =>
  all.map(({ body }) => (JSON.parse(body) as { data: { reference_id: string } }).data.reference_id);

describe('listen', () => {
  it('forwards each event unchanged, signed with a secret that it prints, and prints the answer', async () => {
    listening.start();
    const secret = await listening.ready();
    expect(secret).toMatch(/^whsec_.{44}$/);
    const reference = await buy();
    const [first] = (await arrived(1)) as [Received];
    const event = await new WebhookVerifier(secret).verify(first.body, first.headers);
    expect(event).toMatchObject({ event: 'order.completed', data: { reference_id: reference } });
    const shown = await fetchServed(`${stack.url}/v1/events/${event.id}`, { headers: { 'x-api-key': merchant.key } });
    expect(first.body).toBe(await shown.text());
    await listening.said(
      new RegExp(`^\\d\\d:\\d\\d:\\d\\d {2}order.completed {2}${event.id} {2}-> {2}204 in \\d+ ms$`),
    );
    expect(await listening.stop()).toBe(0);
  });

  it('forwards only the requested kinds, and only new events', async () => {
    await buy();
    listening.start('--events', 'order.failed,webhook.test');
    await listening.ready();
    expect(listening.lines[0]).toBe('Skipped 1 past events (--from-start forwards them)');
    await buy();
    const reference = await buy('fails');
    expect(referencesOf(await arrived(1))).toEqual([reference]);
  });

  it('continues where it stopped, with the same secret', async () => {
    listening.start();
    const secret = await listening.ready();
    await buy();
    await arrived(1);
    await listening.said(/204 in/);
    await listening.stop();
    const missed = [await buy(), await buy()];
    listening.start();
    expect(await listening.ready()).toBe(secret);
    expect(referencesOf(await arrived(3)).slice(1)).toEqual(missed);
    expect(listening.mode).toBe(0o600);
    expect(listening.lines.join()).not.toContain('Skipped');
  });

  it('forwards past events if requested, from the start or after an event', async () => {
    const references = [await buy(), await buy()];
    listening.start('--from-start');
    expect(referencesOf(await arrived(2))).toEqual(references);
    await listening.stop();
    const [first] = await topup.events.list().toArray();
    listening.start('--after', first?.id ?? '');
    expect(referencesOf(await arrived(3))[2]).toBe(references[1]);
  });

  it('continues with the oldest event if the one where it stopped was removed', async () => {
    listening.start();
    await listening.ready();
    await listening.stop();
    listening.state = { ...listening.state, after: 'evt_gone' };
    const reference = await buy();
    listening.start();
    await listening.said(/^evt_gone no longer exists/);
    expect(referencesOf(await arrived(1))).toEqual([reference]);
  });

  it('signs with a given secret, which it neither prints nor stores', async () => {
    const secret = 'a-secret-of-my-own-machine';
    listening.start('--secret', secret);
    expect(await listening.ready()).toBe('as given');
    await buy();
    const [first] = (await arrived(1)) as [Received];
    expect(await new WebhookVerifier(secret).verify(first.body, first.headers)).toBeDefined();
    expect(JSON.stringify([listening.lines, listening.state])).not.toContain(secret);
  });

  it('repeats a delivery that the target refuses, at most three times', async () => {
    receiver.answer(path, 500, 500, 500, 500, 410, 200);
    listening.start();
    await listening.ready();
    const references = [await buy(), await buy(), await buy()];
    const [one, two, three] = references;
    expect(referencesOf(await arrived(6))).toEqual([one, one, one, one, two, three]);
    await listening.said(/skipped: continuing with the next event/);
  });

  it('waits while nothing listens at the target', async () => {
    const port = await keptPort();
    const waiting = new Listening(stack.url, merchant.key, `http://127.0.0.1:${port}/hook`);
    const target = new ScriptedService();
    try {
      waiting.start();
      await waiting.ready();
      await buy();
      await waiting.said(/ECONNREFUSED: waiting until a server listens/);
      await target.listen(port);
      await waiting.said(/-> {2}200 in/);
      expect(target.asked).toHaveLength(1);
    } finally {
      await waiting.close();
      await target.close();
    }
  });
});

describe('listen ends', () => {
  it('with 1 and the reason for an invalid key', async () => {
    const wrong = new Listening(stack.url, 'none', receiver.url(path));
    wrong.start();
    expect(await wrong.end()).toBe(1);
    expect(wrong.errors[0]).toMatch(/^Invalid or missing API key \(401 UNAUTHORIZED, request .{36}\)$/);
    await wrong.close();
  });

  it.each([
    [['--events', 'order.lost'], 'There is no event "order.lost"'],
    [['--forward-to', 'localhost'], '--forward-to must be a URL'],
    [['--colour'], "Unknown option '--colour'"],
    [['--after', 'evt_1', '--from-start'], '--after and --from-start exclude each other'],
    [['--secret', ''], '--secret must not be empty'],
  ])('with 2 for %j', async (options, message) => {
    listening.start(...options);
    expect(await listening.end()).toBe(2);
    expect(listening.errors[0]).toContain(message);
  });

  it('with 0 at a signal, as a program that finds the service by TOPUP_URL; it also shows its usage', async () => {
    const sdk = await BuiltSdk.make();
    try {
      const program = sdk.path('node_modules', 'order-topup-sdk', 'dist', 'listen', 'main.js');
      const settings = { TOPUP_URL: stack.url, TOPUP_API_KEY: merchant.key, XDG_CONFIG_HOME: sdk.project };
      const env = { ...process.env, ...settings };
      const args = ['listen', '--forward-to', receiver.url(path)];
      const process_ = spawn(process.execPath, [program, ...args], {
        env,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const exit = once(process_, 'exit');
      // The last line before it forwards. It may come together with the line before.
      for await (const line of createInterface(process_.stdout))
        if (line.startsWith(`Forwarding every event of ${stack.url} to `)) break;
      process_.kill('SIGTERM');
      expect(await exit).toEqual([0, null]);
      const help = spawn(process.execPath, [program, '--help'], { stdio: ['ignore', 'pipe', 'inherit'] });
      expect(await once(createInterface(help.stdout), 'line')).toEqual([expect.stringMatching(/^Usage: /)]);
    } finally {
      sdk.remove();
    }
  });
});
