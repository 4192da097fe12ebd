import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { keptPort } from '../support/kept-port.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { TestStack, type TestMerchant } from '../support/stack.js';
import { allSnippets } from './blocks.js';
import { FORGED, GENUINE, SECRET, type Delivery } from './deliveries.js';
import { missingFor, Workshop } from './workshop.js';

const receivers = allSnippets().filter(({ use }) => use === 'receiver');
const senders = allSnippets().filter(({ use }) => use === 'sender');
/** Words of uncaught errors, which no interpreter prints for correct code. */
const COMPLAINT = /Traceback|Error|Exception|PHP (Fatal|Warning|Notice|Deprecated)|panic|superfluous/;

let workshop: Workshop;
let stack: TestStack;
let merchant: TestMerchant;

beforeAll(async () => {
  workshop = await Workshop.open();
  stack = await TestStack.start();
  merchant = await stack.sandboxMerchant();
});

afterAll(async () => {
  await closeWithBalancedBooks(stack);
  workshop.close();
});

it('receivers are shown in four languages, each within a screen, with one sender', () => {
  expect(senders.length).toBeGreaterThan(0);
  expect(new Set(receivers.map(({ language }) => language))).toEqual(new Set(['ts', 'php', 'python', 'go']));
  const withoutImports = (code: string): string => code.replace(/^import \([^)]*\)/m, '');
  const linesOf = (code: string): number => withoutImports(code).match(/^.*\S.*$/gm)?.length ?? 0;
  const long = receivers.filter(({ code }) => linesOf(code) > 30);
  expect(long.map(({ file, line }) => `${file}:${line}`)).toEqual([]);
});

describe.each(receivers.map((each) => [`${each.file}:${each.line}`, each] as const))(
  'the receiver at %s',
  (_where, snippet) => {
    let port: number;
    let running: Awaited<ReturnType<Workshop['receiver']>> | null = null;

    beforeAll(async () => {
      const missing = await missingFor(snippet.language);
      if (missing !== null) return;
      port = await keptPort();
      const code = snippet.code.replaceAll('8080', String(port));
      const env = { WEBHOOK_SECRET: SECRET, TOPUP_URL: stack.url, TOPUP_API_KEY: merchant.key };
      running = await workshop.receiver({ ...snippet, code }, port, env);
      await eventually(
        () => send({ headers: {}, body: '' }).catch(() => 0),
        (status) => status !== 0,
      );
    });

    afterAll(async () => {
      await running?.stop();
      expect(running?.output() ?? '').not.toMatch(COMPLAINT);
    });

    function send({ headers, body }: Delivery): Promise<number | undefined> {
      const options = { port, path: '/webhooks/topup', method: 'POST', headers, agent: false };
      return new Promise((resolve, reject) => {
        request(options, (response) => {
          response.resume();
          resolve(response.statusCode);
        })
          .on('error', reject)
          .end(body);
      });
    }

    const test = (what: string, act: () => Promise<void>): void =>
      it(what, async () => {
        if (running !== null) return act();
        console.warn(`SKIPPED: ${what}: no interpreter for ${snippet.language} on this machine`);
      });

    test('answers 2xx to what the service sends', async () => {
      const { client } = merchant;
      const url = `http://127.0.0.1:${port}/webhooks/topup`;
      const { id } = (await client.post<{ id: number }>('/v1/merchant-webhooks', { url, secret: SECRET })).body;
      const { body } = await client.post<{ id: string }>(`/v1/merchant-webhooks/${id}/test`);
      const look = async (): Promise<string> => {
        const log = `/v1/merchant-webhooks/${id}/deliveries/${body.id}`;
        return (await client.get<{ status: string }>(log)).body.status;
      };
      expect(await eventually(look, (status) => status !== 'pending')).toBe('succeeded');
    });

    for (const sender of senders)
      test(`answers 2xx to what ${sender.file} sends with curl`, async () => {
        const code = sender.code.replaceAll('8080', String(port));
        const outcome = await workshop.run(sender.language, code, { WEBHOOK_SECRET: SECRET }, `sender-${port}`);
        expect(outcome).toMatchObject({ exitCode: 0 });
      });

    for (const [what, make] of GENUINE)
      test(`answers 2xx to a delivery ${what}`, async () => {
        expect([200, 204]).toContain(await send(make()));
      });

    for (const [what, make] of FORGED)
      test(`answers 400 to ${what}`, async () => {
        expect(await send(make())).toBe(400);
      });
  },
);
