import type { TestStack } from './stack.js';

/**
 * Makes PostgreSQL record the wait of each unit at the moment it is written. A test that reads the unit itself may be too late:
 * with the next call the wait is over.
 * @param minS Each wait then lasts for at least so many seconds, unless the test ends it. So a busy machine makes no call between
 * two steps of a test. The record has the service's own wait. @param of an SQL condition for the orders `o` with such waits.
 */
export const keepWaits = (stack: TestStack, minS = 0, of = 'true'): Promise<void> =>
  stack.fill(`
    CREATE TABLE IF NOT EXISTS unit_waits (
      id bigint GENERATED ALWAYS AS IDENTITY, order_id bigint, item int, unit int, state text, seconds float8);
    CREATE OR REPLACE FUNCTION keep_wait() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO public.unit_waits (order_id, item, unit, state, seconds)
        VALUES (NEW.order_id, NEW.item, NEW.unit, NEW.state, extract(epoch FROM NEW.next_action_at - statement_timestamp()));
        IF NEW.next_action_at > statement_timestamp() AND EXISTS (SELECT FROM orders o WHERE o.id = NEW.order_id AND (${of})) THEN
          NEW.next_action_at := greatest(NEW.next_action_at, statement_timestamp() + interval '${minS} s');
        END IF;
        RETURN NEW;
      END $$;
    CREATE OR REPLACE TRIGGER tg_keep_wait BEFORE UPDATE ON order_units FOR EACH ROW
      WHEN (NEW.claimed_by IS NULL AND OLD.claimed_by IS NOT NULL AND NEW.next_action_at IS NOT NULL)
      EXECUTE FUNCTION keep_wait()`);

/** The waits of an order's first unit, in seconds, one after each call about it. */
export async function waitsOf(stack: TestStack, orderNumber: string, state?: string): Promise<number[]> {
  const waits = await stack.sql<{ seconds: number }>(
    `SELECT w.seconds FROM unit_waits w JOIN orders o ON o.id = w.order_id
     WHERE o.order_number = $1 AND w.item = 1 AND w.unit = 1 AND w.state = coalesce($2, w.state) ORDER BY w.id`,
    [orderNumber, state],
  );
  return waits.map(({ seconds }) => seconds);
}
