import type { Statement } from '../database/database.js';

export const FIND_TIMEOUTS: Statement = {
  name: 'suppliers.find_timeouts',
  text: `SELECT code, timeout_ms FROM suppliers ORDER BY code`,
};
