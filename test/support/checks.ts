import { eventually } from './eventually.js';
import type { TestStack } from './stack.js';

const LATER = `interval '1 hour'`;

/** Makes scheduled checks of ended attempts wait for {@link checkNow}: PostgreSQL makes each due an hour later than the service says. */
export const holdChecks = (stack: TestStack): Promise<void> =>
  stack.fill(`
    CREATE OR REPLACE FUNCTION hold_check() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        NEW.due_at := NEW.due_at + ${LATER};
        RETURN NEW;
      END $$;
    CREATE OR REPLACE TRIGGER tg_hold_check BEFORE INSERT ON attempt_checks FOR EACH ROW EXECUTE FUNCTION hold_check()`);

/** Makes the scheduled checks due. */
export const checkNow = (stack: TestStack): Promise<object[]> =>
  stack.sql(`UPDATE attempt_checks SET due_at = now() WHERE due_at > now()`);

/** Makes the scheduled checks due before each `read`, until its answer passes. @returns that answer. */
export const eventuallyChecked = <Value>(
  stack: TestStack,
  read: () => Promise<Value>,
  passes: (value: Value) => boolean,
): Promise<Value> =>
  eventually(async () => {
    await checkNow(stack);
    return read();
  }, passes);

/** The seconds from the last callback until each scheduled check, as the service scheduled it. */
export const checkDelays = (stack: TestStack): Promise<{ due_in_s: number }[]> =>
  stack.sql(
    `SELECT extract(epoch FROM due_at - ${LATER} - (SELECT max(received_at) FROM supplier_callbacks))::int AS due_in_s
     FROM attempt_checks`,
  );
