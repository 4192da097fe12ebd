import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WorkNotifier } from '../../src/queues/work-notifier.js';
import { eventually } from '../support/eventually.js';
import { TestStack, unique, type OrderBody, type TestMerchant } from '../support/stack.js';
import { openManagementPort } from './management.js';

interface BoardJob {
  name: string;
  data: Record<string, unknown>;
}
interface BoardQueue {
  name: string;
  description?: string;
  jobs: BoardJob[];
}

/** The longest delay of a job, so that it stays visible. */
const A_MINUTE_MS = 60_000;

let stack: TestStack;
let port: string;
let merchant: TestMerchant;

beforeAll(async () => {
  stack = await TestStack.start({}, { worker: false });
  port = await openManagementPort(stack.api);
  merchant = await stack.merchant();
});

afterAll(() => stack.close());

/** The jobs of a queue that wait for their time, as Bull Board shows them. */
async function delayedJobs(queue: string): Promise<BoardQueue> {
  const query = `activeQueue=${queue}&status=delayed&page=1&jobsPerPage=100`;
  const response = await fetch(`${port}/queues/api/queues?${query}`);
  expect(response.status).toBe(200);
  const { queues } = (await response.json()) as { queues: BoardQueue[] };
  const found = queues.find(({ name }) => name === queue);
  if (!found) throw new Error(`no queue ${queue} on the board`);
  return found;
}

/**
 * The jobs of a queue, once these are among them. It sends wake-ups until then: one may be lost, and a busy PostgreSQL may tell
 * their names too late.
 */
function jobsNamed(queue: string, names: string[], wakeUp: () => void): Promise<BoardQueue> {
  const areThere = ({ jobs }: BoardQueue): boolean => names.every((wanted) => jobs.some(({ name }) => name === wanted));
  const wakeAndLook = async (): Promise<BoardQueue> => {
    const board = await delayedJobs(queue);
    if (!areThere(board)) wakeUp();
    return board;
  };
  return eventually(wakeAndLook, areThere);
}

async function placeOrder(): Promise<OrderBody> {
  const sku = await stack.product();
  return stack.order(merchant, [{ sku, quantity: 2 }]);
}

describe('Bull Board', () => {
  it('names the supplier of a job of the fulfilment queue, and the next orders there', async () => {
    const orders = [await placeOrder(), await placeOrder()];
    const [{ id = 0 } = {}] = await stack.sql<{ id: number }>(`SELECT id FROM suppliers WHERE code = 'fake'`);
    const { jobs, description } = await jobsNamed('fulfilment', ['supplier fake'], () =>
      stack.api.get(WorkNotifier).notifyFulfilment([id], A_MINUTE_MS),
    );
    expect(description).toMatch(/PostgreSQL/);
    expect(jobs[0]).toMatchObject({
      name: 'supplier fake',
      data: {
        suppliers: [
          {
            id,
            code: 'fake',
            next_orders: expect.arrayContaining(orders.map((order) => order.order_number)),
          },
        ],
      },
    });
  });

  it('names the webhook of a job of the webhooks queue, its merchant, and the next orders there', async () => {
    const { body: webhook } = await merchant.client.post<{ id: number }>('/v1/merchant-webhooks', {
      url: 'http://127.0.0.1:1/secret-path',
    });
    await merchant.client.post(`/v1/merchant-webhooks/${webhook.id}/test`);
    const [{ name = '' } = {}] = await stack.sql<{ name: string }>('SELECT name FROM merchants WHERE id = $1', [
      merchant.id,
    ]);
    const { jobs } = await jobsNamed('webhooks', [`webhook ${webhook.id} of ${name}`], () =>
      stack.api.get(WorkNotifier).notifyWebhooks([webhook.id], A_MINUTE_MS),
    );
    expect(jobs[0]).toMatchObject({ data: { webhooks: [{ id: webhook.id, merchant: name, next_orders: [] }] } });
    expect(JSON.stringify(jobs)).not.toContain('secret-path');
  });

  it('also shows a job about several suppliers or webhooks, even if some no longer exist', async () => {
    const codes = [unique('one'), unique('two'), unique('three'), unique('four')];
    for (const code of codes) await stack.addSupplier(code, stack.supplier.url);
    const rows = await stack.sql<{ id: number }>('SELECT id FROM suppliers WHERE code = ANY($1) ORDER BY id', [codes]);
    const ids = rows.map(({ id }) => id);
    // The job of the first test is there, too.
    await jobsNamed('fulfilment', [`suppliers ${codes[0]}, ${codes[1]}, 9999`, '4 suppliers'], () => {
      stack.api.get(WorkNotifier).notifyFulfilment([...ids.slice(0, 2), 9_999], A_MINUTE_MS - 1_000);
      stack.api.get(WorkNotifier).notifyFulfilment(ids, A_MINUTE_MS - 2_000);
    });
  });

  it('shows its jobs while PostgreSQL does not answer', async () => {
    await stack.sql('ALTER TABLE suppliers RENAME TO suppliers_away');
    try {
      const { jobs } = await delayedJobs('fulfilment');
      expect(jobs.length).toBeGreaterThan(0);
      expect(jobs.every(({ name }) => /^(supplier \d+|suppliers [\d, ]+|\d+ suppliers)$/.test(name))).toBe(true);
    } finally {
      await stack.sql('ALTER TABLE suppliers_away RENAME TO suppliers');
    }
  });

  it('loads nothing from other hosts, and its content security policy forbids it', async () => {
    const page = await fetch(`${port}/queues/`);
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'self';/);
    const html = await page.text();
    const links = [...html.matchAll(/\b(?:src|href)="([^"]*)"/g)].map(([, link = '']) => link);
    expect(links.length).toBeGreaterThan(5);
    expect(links.filter((link) => /^(https?:)?\/\//.test(link))).toEqual([]);
    for (const link of links.filter((each) => each.startsWith('static/'))) {
      const asset = await fetch(`${port}/queues/${link}`);
      expect([link, asset.status]).toEqual([link, 200]);
      const text = await asset.text();
      if (link.endsWith('.css')) expect(text).not.toMatch(/url\(["']?(https?:)?\/\/|@import/);
    }
  });
});
