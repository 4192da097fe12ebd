import { Agent, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SIGNATURE_HEADER, signatureOf, useCallingAdapters, WEBHOOK_SECRET } from '../support/calling-supplier.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import type { Answer } from '../support/http.js';
import { untilServed } from '../support/until-served.js';
import { CallbackScene, type OpenUnit } from './scene.js';

const CONNECTIONS = 32;
/** The suppliers. Each has its own limit of callbacks, so with so many suppliers the service reads most callbacks. */
const SUPPLIERS = 20;

interface Forged {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

let scene: CallbackScene;
let units: OpenUnit[];
let paths: string[];
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });

async function open(): Promise<void> {
  scene = await CallbackScene.start();
  const codes = Array.from({ length: SUPPLIERS }, (_, index) => `signing-${index}`);
  for (const code of codes) await scene.set(code, 'calling', { webhook_secret: WEBHOOK_SECRET });
  paths = await Promise.all(codes.map((code) => scene.path(code)));
  units = [];
  for (const code of codes.slice(0, 5)) units.push(await scene.openUnit(code));
}

async function close(): Promise<void> {
  agent.destroy();
  await closeWithBalancedBooks(scene.stack);
}

/** The unsigned body of a callback which claims that a unit of this supplier was bought. */
const success = (index: number): string => {
  const reference = units[index % units.length]?.reference ?? '';
  return JSON.stringify({ kind: 'about', reference, outcome: { kind: 'succeeded', supplierReference: 'F' } });
};
const sign = (body: string | Buffer, secret?: string): Record<string, string> => ({
  [SIGNATURE_HEADER]: signatureOf(body, secret),
});

/** Callbacks that a stranger may send, and broken ones of a supplier. None of them proves that a unit was bought. */
const KINDS: ((path: string, body: string, index: number) => Forged)[] = [
  (path, body) => ({ path, body }),
  (path, body) => ({ path, body, headers: sign(body, 'a guess') }),
  (path, body) => ({ path, body: `${body} `, headers: sign(body) }),
  (path, body) => ({
    path,
    body,
    headers: { [SIGNATURE_HEADER]: `${signatureOf(body)}, ${signatureOf('')}` },
  }),
  (path, body) => ({ path, body, headers: { [SIGNATURE_HEADER]: signatureOf(body).toUpperCase() } }),
  (path, body) => ({ path: path.replace(/.$/, 'x'), body, headers: sign(body) }),
  (path, body) => ({ path: `${path}?token=1`, method: 'GET', headers: sign(body) }),
  (_, body) => ({ path: '/supplier-callbacks/nobody/00000000000000000000000000000000', body }),
  (_, body) => ({ path: '/supplier-callbacks/signing-0/%00', body, headers: sign(body) }),
  (_, body) => ({ path: '/supplier-callbacks/%E0%A4/%ZZ', body, headers: sign(body) }),
  (path, body, index) => {
    const cut = body.slice(0, index % body.length);
    return { path, body: cut, headers: sign(cut) };
  },
  (path, _, index) => {
    const bytes = Buffer.from([index & 255, 0, 0xff, (index >> 8) & 255]);
    return { path, body: bytes, headers: sign(bytes) };
  },
  (path, _, index) => {
    const about = JSON.stringify({
      kind: 'about',
      reference: `\u0000${index}`,
      deliveryId: `\ud800${index}`,
    });
    return { path, body: about, headers: sign(about) };
  },
  (path) => {
    const endless = JSON.stringify({ kind: 'about', reference: 'R'.repeat(60_000) });
    return { path, body: endless, headers: sign(endless) };
  },
  (path, body) => ({ path, body: body.padEnd(70_000), headers: sign(body) }),
  (path, body) => ({ path, method: 'PUT', body, headers: sign(body) }),
];

function send({ method = 'POST', path, headers = {}, body }: Forged): Promise<Answer<null>> {
  return new Promise((resolve, reject) => {
    const outgoing = request(scene.stack.url + path, { agent, method, headers }, (response) => {
      const headers = new Headers(response.headers as Record<string, string>);
      const answer = { status: response.statusCode ?? 0, headers, body: null };
      response.resume().once('end', () => resolve(answer));
    });
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}

/** @param limitMs the timeout of the test; by default, that of every test. */
export function describeForgeries(count: number, limitMs?: number): void {
  describe(`${count} forged and broken callbacks`, () => {
    useCallingAdapters();
    beforeAll(open);
    afterAll(close);

    it(
      'settle nothing, and none gets a 5xx',
      async () => {
        const counts: Record<number, number> = {};
        let next = 0;
        const sendOn = async (): Promise<void> => {
          for (let index = next++; index < count; index = next++) {
            const kind = KINDS[index % KINDS.length];
            const path = paths[index % paths.length];
            if (!kind || !path) continue;
            const { status } = await untilServed(() => send(kind(path, success(index), index)));
            counts[status] = (counts[status] ?? 0) + 1;
          }
        };
        await Promise.all(Array.from({ length: CONNECTIONS }, sendOn));
        const statuses = Object.keys(counts).map(Number);
        expect(statuses.filter((status) => ![200, 400, 401, 404, 413, 429].includes(status))).toEqual([]);
        expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(count);
        expect(counts[401]).toBeGreaterThan(count / 10);
        for (const unit of units) {
          expect(await scene.unit(unit)).toMatchObject({ state: 'unknown' });
          expect(scene.inquiries(unit)).toBe(0);
        }
        const verdicts = await scene.stack.sql<{ verdict: string }>(
          'SELECT DISTINCT verdict FROM supplier_callbacks ORDER BY verdict',
        );
        expect(verdicts.map(({ verdict }) => verdict)).toEqual(['refused', 'unknown_reference', 'unreadable']);
      },
      limitMs,
    );

    it('do not stop a genuine callback from settling its unit', async () => {
      const [unit] = units;
      // Of the same second there may have been too many.
      await eventually(
        () => scene.succeed('signing-0', unit?.reference ?? ''),
        ({ status }) => status === 200,
      );
      expect(await scene.last('signing-0')).toMatchObject({ verdict: 'settled' });
    });
  });
}
