import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { whileLocked } from '../support/locks.js';
import { monthsAgo, moveTo } from '../support/months.js';
import { TestStack } from '../support/stack.js';
import { CommandLine } from './command-line.js';

const [first, second, third] = [monthsAgo(3), monthsAgo(2), monthsAgo(1)];

/** A month with so many open orders cannot be closed. */
const TOO_MANY = 10_001;

describe('Closing several months', () => {
  let stack: TestStack;
  let commandLine: CommandLine;

  /** One order ends in the first month; very many of the second month stay open. */
  beforeAll(async () => {
    stack = await TestStack.start({ MONTH_CLOSE_AFTER_DAYS: '0' });
    commandLine = new CommandLine({ DATABASE_URL: stack.config.DATABASE_URL });
    const merchant = await stack.merchant('1000.00');
    const order = await stack.order(merchant, [{ sku: await stack.product('35.00') }]);
    await stack.orderWith(merchant, order.reference_id, 'completed');
    await stack.stopWorkers();
    await moveTo(stack, first);
    await stack.fill(
      `INSERT INTO orders (merchant_id, order_number, reference_id, content_hash, user_id, status, subtotal_amount,
         discount_amount, total_amount, open_items, created_at, updated_at)
       SELECT $1, 'open_' || n, 'open-' || n, '', 'slow', 'pending', 1, 0, 1, 1, $2, $2 FROM generate_series(1, ${TOO_MANY}) n`,
      [merchant.id, `${second}-15T12:00:00Z`],
    );
  });

  afterAll(() => stack.close());

  const moveOpenTo = (month: string): Promise<void> =>
    stack.fill(`
      SET session_replication_role = 'replica';
      UPDATE orders SET created_at = '${month}-15T12:00:00Z' WHERE status = 'pending'`);

  it('prints the closed months, and then the reason why it stopped', async () => {
    const { code, stdout, stderr } = await commandLine.run('month', 'close');
    expect(code).toBe(1);
    expect(stdout.match(/\d{4}-\d\d(?= )/g)).toEqual([first]);
    expect(stderr).toBe(
      `error: ${second} can't be closed yet: ${TOO_MANY} orders placed until its end have not ended\n`,
    );
    const nothing = await commandLine.run('month', 'close', '--json');
    expect(nothing).toEqual({ code: 1, stdout: '', stderr });
  });

  it('with --json, prints one value with the closed months, and the error on standard error', async () => {
    await moveOpenTo(third);
    const { code, stdout, stderr } = await commandLine.run('month', 'close', '--json');
    expect([code, JSON.parse(stdout)]).toMatchObject([1, { closed: [{ month: second, orders: 0 }], refused: null }]);
    expect(stderr).toContain(`error: ${third} can't be closed yet`);
  });

  it('prints a month before it reads the next one', async () => {
    await stack.fill(`SET session_replication_role = 'replica'; DELETE FROM closed_months; DELETE FROM closed_wallets`);
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    void text(stderr);
    let printed = '';
    stdout.on('data', (chunk) => (printed += String(chunk)));
    // The output must have the first month while the transaction that would close the next one waits.
    await stack.fill(`
      CREATE FUNCTION wait_for_test() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_advisory_xact_lock(7); RETURN NEW; END $$;
      CREATE TRIGGER tg_wait BEFORE INSERT ON closed_months FOR EACH ROW WHEN (NEW.month = '${second}')
        EXECUTE FUNCTION wait_for_test()`);
    const closing = await whileLocked(stack, 'SELECT pg_advisory_xact_lock(7)', async () => {
      const running = commandLine.runWith({ stdout, stderr }, 'month', 'close', '--through', second);
      await eventually(
        () => printed,
        (seen) => seen.includes(first),
      );
      expect(printed).not.toContain(second);
      return { running };
    });
    expect(await closing.running).toBe(0);
    expect(printed).toContain(second);
  });

  it('goes on if nobody reads its output any more', async () => {
    await stack.fill(`SET session_replication_role = 'replica'; DELETE FROM closed_months; DELETE FROM closed_wallets`);
    expect(await commandLine.runUnread('month', 'close', '--through', second)).toBe(0);
    const months = await stack.sql('SELECT month FROM closed_months ORDER BY month');
    expect(months).toEqual([{ month: first }, { month: second }]);
  });
});

describe('A worker that is stopped while it closes a month', () => {
  let stack: TestStack;

  beforeAll(async () => {
    stack = await TestStack.start({ MONTH_CLOSE_AFTER_DAYS: '0' });
    const merchant = await stack.merchant('1000.00');
    const order = await stack.order(merchant, [{ sku: await stack.product('35.00') }]);
    await stack.orderWith(merchant, order.reference_id, 'completed');
    await stack.stopWorkers();
    await moveTo(stack, first);
  });

  afterAll(() => stack.close());

  const isFree = async (): Promise<boolean> => {
    const [turn] = await stack.sql<{ free: boolean }>('SELECT next_at <= now() AS free FROM month_closing_turn');
    return turn?.free ?? false;
  };

  it('releases the lock at once, without waiting for its reads, and another worker closes the month', async () => {
    await whileLocked(stack, 'LOCK TABLE order_items IN ACCESS EXCLUSIVE MODE', async () => {
      const reading = `SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%order_items%'`;
      const isFreeOnceStopped = async (): Promise<boolean> => {
        await stack.sql(`UPDATE month_closing_turn SET next_at = '-infinity'`);
        await stack.startWorker({ MONTH_CLOSE_AFTER_DAYS: 1 });
        await eventually(
          () => stack.sql(reading),
          (waiting) => waiting.length > 0,
        );
        expect(await isFree()).toBe(false);
        await stack.stopWorkers();
        return isFree();
      };
      // A read gives up after three seconds, and its worker then keeps the lock. On a slow machine this may happen before the
      // worker is stopped.
      await eventually(isFreeOnceStopped, (free) => free);
    });
    expect(await stack.sql('SELECT FROM closed_months')).toEqual([]);
    await stack.startWorker({ MONTH_CLOSE_AFTER_DAYS: 1 });
    const closed = await eventually(
      () => stack.sql('SELECT month, closed_by, orders::int FROM closed_months ORDER BY month'),
      (months) => months.length > 0,
    );
    expect(closed[0]).toEqual({ month: first, closed_by: 'worker', orders: 1 });
  });
});
