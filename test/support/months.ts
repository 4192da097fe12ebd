import { dayIn } from './days.js';
import type { TestStack } from './stack.js';

/** An earlier month in Asia/Bangkok, counted back from this one. */
export function monthsAgo(count: number): string {
  const [year = 0, month = 0] = dayIn('Asia/Bangkok').split('-').map(Number);
  return new Date(Date.UTC(year, month - 1 - count, 15)).toISOString().slice(0, 7);
}

/** Moves all rows of today into a month. */
export async function moveTo(stack: TestStack, month: string): Promise<void> {
  const at = `'${month}-15T12:00:00Z'`;
  const today = `created_at > now() - interval '1 day'`;
  await stack.fill(`
    SET session_replication_role = 'replica';
    UPDATE orders SET created_at = ${at}, updated_at = ${at} WHERE ${today};
    UPDATE transfers SET created_at = ${at} WHERE ${today};
    UPDATE webhook_deliveries SET created_at = ${at} WHERE ${today}`);
}
