import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CommandLine } from '../cli/command-line.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { makeDue } from '../support/due.js';
import { eventually } from '../support/eventually.js';
import { bought } from '../support/fake-supplier.js';
import { TestStack, unique, type TestMerchant } from '../support/stack.js';

interface SupplierJson {
  status: string;
  pause_reason: string | null;
}

let stack: TestStack;
let commandLine: CommandLine;
let merchant: TestMerchant;
let sku: string;

beforeAll(async () => {
  stack = await TestStack.start();
  commandLine = new CommandLine({ DATABASE_URL: stack.config.DATABASE_URL });
  merchant = await stack.merchant('1000.00');
  sku = await stack.product('35.00');
});

afterAll(() => closeWithBalancedBooks(stack));

const change = (name: 'pause' | 'resume', ...more: string[]): Promise<SupplierJson> =>
  commandLine.json<SupplierJson>('supplier', name, 'fake', ...more);

const state = async (orderNumber: string): Promise<string | undefined> =>
  (
    await stack.sql<{ state: string }>(
      'SELECT u.state FROM order_units u JOIN orders o ON o.id = u.order_id WHERE o.order_number = $1',
      [orderNumber],
    )
  )[0]?.state;

describe('A supplier that the operator paused', () => {
  it('gets no more sends, and gets inquiries about units in doubt', async () => {
    const [lost, early] = [unique('lost'), unique('early')];
    let isFound = false;
    stack.supplier.script(lost, ({ reference }) => (isFound ? bought(reference) : { status: 500, body: {} }));
    stack.supplier.script(early, ({ reference }, earlier) =>
      earlier.length === 0 ? { status: 429, headers: { 'retry-after': '600' } } : bought(reference),
    );
    const inDoubt = await stack.order(merchant, [{ sku }], lost);
    const waiting = await stack.order(merchant, [{ sku }], early);
    for (const [{ order_number }, awaited] of [
      [inDoubt, 'unknown'],
      [waiting, 'queued'],
    ] as const) {
      const sent = async (): Promise<boolean> =>
        stack.supplier.about(order_number).length > 0 && (await state(order_number)) === awaited;
      await eventually(sent, (isSent) => isSent);
    }

    expect(await change('pause', '--reason', 'maintenance')).toMatchObject({
      status: 'paused',
      pause_reason: 'operator',
    });
    await stack.sql(
      'UPDATE order_units SET next_action_at = now() WHERE order_id = (SELECT id FROM orders WHERE order_number = $1)',
      [waiting.order_number],
    );
    isFound = true;
    // Without the pause, the other unit would be sent meanwhile.
    const ask = async (): Promise<string | undefined> => {
      await makeDue(stack, inDoubt);
      return state(inDoubt.order_number);
    };
    await eventually(ask, (found) => found === 'succeeded');
    expect(stack.supplier.about(waiting.order_number)).toHaveLength(1);

    expect(await change('resume')).toMatchObject({ status: 'active', pause_reason: null });
    await stack.orderWith(merchant, waiting.reference_id, 'completed');
    const log = await commandLine.json<{ action: string; detail: object }[]>('log', '--limit', '2');
    expect(log.map(({ action }) => action).sort()).toEqual(['supplier.pause', 'supplier.resume']);
  });
});
