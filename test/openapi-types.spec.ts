import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const run = promisify(execFile);
const inCheckout = (file: string): string => fileURLToPath(new URL(`../${file}`, import.meta.url));

/** Code that a merchant could write, and code that must not compile. */
const USE = `
import type { components, paths, webhooks } from './types.js';
type Schemas = components['schemas'];
export const order: Schemas['CreateOrderDto'] = { reference_id: 'a', user_id: 'b', items: [{ sku: 'c' }] };
export const body: paths['/v1/orders']['post']['requestBody']['content']['application/json'] = order;
export const webhook: Schemas['CreateWebhookDto'] = { url: 'https://shop.example' };
export const nothing: Schemas['UpdateWebhookDto'] = {};
export function read(event: Schemas['EventDto']): string {
  if (event.event === 'wallet.low_balance') return event.data.threshold_amount;
  if (event.event === 'deposit.paid') return event.data.payment.id;
  return event.event === 'deposit.expired' ? event.data.deposit_number : event.data.order_number;
}
export const headers: webhooks['order.completed']['post']['parameters']['header'] = {
  'webhook-id': 'evt_1', 'webhook-timestamp': '1', 'webhook-signature': 'v1,',
};
export const code: Schemas['ErrorDetailDto']['code'] = 'PRICE_CHANGED';
// @ts-expect-error: an item without a product
export const item: Schemas['CreateOrderItemDto'] = { quantity: 1 };
// @ts-expect-error: only an order can be partially completed
export const partly: Schemas['OrderItemDto']['failure_code'] = 'PARTIALLY_COMPLETED';
// @ts-expect-error: an unknown code
export const none: Schemas['ErrorDetailDto']['code'] = 'TOO_BLUE';
// @ts-expect-error: an order has no threshold
export const threshold = (event: Schemas['OrderFailedEventDto']): string => event.data.threshold_amount;
`;

let directory: string;

beforeAll(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'openapi-types-'));
});

afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Runs a program of a package. @returns its output if it fails, otherwise nothing. */
const complaintsOf = (program: string, ...args: string[]): Promise<string> =>
  run(process.execPath, [inCheckout(`node_modules/${program}`), ...args]).then(
    () => '',
    ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
  );

describe('the types that openapi-typescript makes from openapi.json', () => {
  it('compile, accept the smallest bodies, and distinguish events', async () => {
    const [types, use] = [path.join(directory, 'types.ts'), path.join(directory, 'use.ts')];
    writeFileSync(path.join(directory, 'package.json'), '{ "type": "module" }');
    writeFileSync(use, USE);
    const generator = 'openapi-typescript/bin/cli.js';
    expect(await complaintsOf(generator, inCheckout('openapi.json'), '-o', types)).toBe('');
    const options = ['--ignoreConfig', '--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022'];
    expect(await complaintsOf('typescript/bin/tsc', ...options, use)).toBe('');
  });
});
