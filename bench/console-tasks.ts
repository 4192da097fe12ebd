import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findChromium, launchChromium } from '../test/support/chromium.js';
import { createCatalog } from './support/catalog.js';
import { startConsole } from './support/console.js';
import { addInactiveWebhooks, addTroubles, fillWithOrders } from './support/filling.js';
import { median, report, round } from './support/figures.js';
import { Operator } from './support/operator.js';
import { orderBody } from './support/orders.js';
import { Person } from './support/person.js';
import { startStack } from './support/stack.js';
import { createWallets, type Wallet } from './support/wallets.js';

// The time that an operator needs for everyday tasks, with BENCH_ORDERS orders (1,000,000 by default): the person's part by the
// keystroke-level model, the machine's part measured in Chromium. Goals, in seconds: find a player's
// failed order and say why 20, decide a unit in review 30, change 500 prices by a file 60, credit a merchant 20.

const ORDERS = Number(process.env.BENCH_ORDERS ?? 1_000_000);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const PRICES = 500;

const program = await findChromium();
if (program === null) throw new Error('there is no chromium on PATH, and none can be fetched');
const stack = await startStack({ WEBHOOK_LOG_DAYS: '0' }, { max_wal_size: '4GB', shared_buffers: '1GB' });
const supplier = await createCatalog(stack);
const wallets = await createWallets(stack.database, 200);
const [wallet] = wallets as [Wallet, ...Wallet[]];
await addInactiveWebhooks(stack.database, wallets);
await fillWithOrders(stack.database, wallets, 0, ORDERS);
await addTroubles(stack.database, 0);
await importProducts();
const doubtful = await placeDoubtful(ROUNDS);
await stack.database.query('VACUUM (ANALYZE)');

const { child, url } = await startConsole(stack);
const operator = await Operator.signIn(stack, url, 1);
const browser = await launchChromium(program);
const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
await context.addCookies([...operator.cookies].map(([name, value]) => ({ name, value, url })));
const person = new Person(await context.newPage());

const GOALS: [task: string, seconds: number, work: (round: number) => Promise<void>][] = [
  ["find a player's failed order and say why", 20, findFailedOrder],
  ['decide a unit in review', 30, decideUnit],
  [`change ${PRICES} prices by a file`, 60, changePrices],
  ['credit a merchant', 20, creditMerchant],
];
const tasks: Record<string, string | number>[] = [];
for (const [task, goal, work] of GOALS) {
  const rounds: ReturnType<Person['end']>[] = [];
  for (let n = 0; n < ROUNDS; n++) {
    await person.page.goto(`${url}/`);
    await person.page.getByRole('heading', { level: 1 }).waitFor();
    person.begin();
    await work(n);
    rounds.push(person.end());
  }
  const of = (part: 'person' | 'machine' | 'both'): number => round(median(rounds.map((each) => each[part])));
  tasks.push({
    task,
    'goal, s': goal,
    s: of('both'),
    'of a person': of('person'),
    'of the machine': of('machine'),
  });
}
report('console-tasks', tasks, { orders: ORDERS });
await browser.close();
supplier.disconnect();
child.kill('SIGTERM');
await once(child, 'exit');
await stack.stop();
process.exit(0);

/** One product for each price that is changed. */
async function importProducts(): Promise<void> {
  await withFile(
    csvOf('sku,name,price,supplier', (sku) => `${sku},${sku},10.00,bench`),
    (file) => stack.topup('product', 'import', file),
  );
}

function csvOf(header: string, line: (sku: string) => string): string {
  const skus = Array.from({ length: PRICES }, (_, n) => `BULK-${String(n).padStart(4, '0')}`);
  return `${[header, ...skus.map(line)].join('\n')}\n`;
}

async function withFile(text: string, use: (file: string) => Promise<unknown>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'console-tasks-'));
  try {
    await writeFile(join(directory, 'products.csv'), text);
    await use(join(directory, 'products.csv'));
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** Finds the order of a player whom a buyer's message names, opens it, and reads the reason. */
async function findFailedOrder(n: number): Promise<void> {
  const { page } = person;
  const { rows } = await stack.database.query<{ order_number: string; user_id: string }>(
    `SELECT order_number, user_id FROM orders WHERE status = 'failed' ORDER BY id DESC OFFSET $1 LIMIT 1`,
    [n],
  );
  const [failed] = rows;
  if (failed === undefined) throw new Error('no order failed');
  await person.press('/');
  await person.paste(failed.user_id);
  await person.press('Enter');
  const found = page.getByRole('link', { name: failed.order_number });
  await person.read(page.getByRole('heading', { level: 1 }));
  await person.click(found);
  await person.read(page.getByText('OUT_OF_STOCK').first(), 2);
}

/** Decides a unit of the review: reads the evidence, chooses the outcome, and types the reason. */
async function decideUnit(n: number): Promise<void> {
  const { page } = person;
  const number = doubtful[n] ?? '';
  await person.press('g', 'r');
  const line = page.getByRole('row').filter({ hasText: number });
  await person.read(line);
  await person.click(line.getByRole('button', { name: 'Resolve' }));
  const dialog = page.getByRole('dialog', { name: /Resolve unit 1\.1/ });
  await person.read(dialog, 3);
  await person.click(dialog.getByText('It was not bought'));
  await person.choose(dialog.getByLabel('Why it failed'), 'OUT_OF_STOCK');
  await person.read(dialog.getByText('With it the order ends as failed.'));
  await person.click(dialog.getByLabel('Reason'));
  await person.type('they never saw it');
  await person.click(dialog.getByRole('button', { name: 'Settle as failed' }));
  await person.read(page.getByText('Unit 1.1 was resolved'));
}

/** Imports a file of prices: reads the difference, and types the number of changes. */
async function changePrices(n: number): Promise<void> {
  const { page } = person;
  const price = `${11 + n}.00`;
  await person.press('g', 'p');
  await person.click(page.getByRole('link', { name: 'Import' }).first());
  const file = {
    name: 'prices.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(csvOf('sku,price', (sku) => `${sku},${price}`)),
  };
  await person.chooseFile(page.getByLabel('CSV file'), file);
  await person.read(page.getByText(`${PRICES} changed`), 5);
  await person.click(page.getByRole('button', { name: `Import ${PRICES} changes` }));
  const dialog = page.getByRole('dialog', { name: 'prices.csv' });
  await person.click(dialog.getByLabel(`Type ${PRICES} to confirm`));
  await person.type(String(PRICES));
  await person.click(dialog.getByRole('button', { name: `Import ${PRICES} changes` }));
  await person.read(page.getByText(`0 added, ${PRICES} changed`));
}

/** Credits a merchant, found by name, with the reference of the bank's transfer. */
async function creditMerchant(n: number): Promise<void> {
  const { page } = person;
  const { merchantId } = wallets[20 + n] as Wallet;
  const { rows } = await stack.database.query<{ name: string }>('SELECT name FROM merchants WHERE id = $1', [
    merchantId,
  ]);
  const title = rows[0]?.name ?? '';
  await person.press('/');
  await person.type(title);
  await person.press('Enter');
  await person.read(page.getByRole('heading', { name: title, exact: true }));
  await person.press('d');
  const dialog = page.getByRole('dialog', { name: /Deposit/ });
  await dialog.waitFor();
  await person.type('1500.50');
  await person.press('Tab');
  await person.paste(`bank-20261123-${n}`);
  await person.read(dialog.getByRole('button', { name: 'Deposit 1,500.50 THB' }), 2);
  await person.press('Enter');
  await person.read(page.getByText('1,500.50 THB were deposited'));
}

/** Orders in progress whose only unit is in doubt. @returns their numbers. */
async function placeDoubtful(count: number): Promise<string[]> {
  const numbers: string[] = [];
  for (let n = 0; n < count; n++) {
    const response = await fetch(`${stack.apiUrl}/v1/orders`, {
      method: 'POST',
      headers: { 'x-api-key': wallet.key, 'content-type': 'application/json' },
      body: orderBody(`doubtful-${n}`),
    });
    const { order_number: number } = (await response.json()) as { order_number: string };
    numbers.push(number);
  }
  await stack.database.query(
    `WITH doubtful AS (UPDATE orders SET status = 'processing' WHERE order_number = ANY($1) RETURNING id, order_number),
       items AS (UPDATE order_items SET status = 'processing' WHERE order_id IN (SELECT id FROM doubtful)),
       attempts AS (
         INSERT INTO unit_attempts (order_id, item, unit, number, supplier_id, supplier_sku, reference, created_at)
         SELECT d.id, 1, 1, 1, supplier_id, supplier_sku, d.order_number || '-1-1', now()
         FROM doubtful d JOIN order_items i ON i.order_id = d.id)
     UPDATE order_units SET state = 'review', next_action_at = NULL, attempt = 1, sends = 1, first_sent_at = now(),
                            last_sent_at = now(), unknown_since = now() - interval '1 hour'
     WHERE order_id IN (SELECT id FROM doubtful)`,
    [numbers],
  );
  return numbers;
}
