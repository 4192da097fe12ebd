import { Injectable } from '@nestjs/common';
import { withDeadline } from '../core/deadline.js';
import { Database, type Statement } from '../database/database.js';

const ANSWER_WITHIN_MS = 1_500;

/** On a standby every transaction is read-only, and on a server that was told so (`default_transaction_read_only`). */
const ASK: Statement = {
  name: 'readiness',
  text: `SELECT current_setting('transaction_read_only')::boolean AS is_read_only`,
};

/** Why a process is not ready. */
export type Unreadiness = 'PostgreSQL does not answer' | 'PostgreSQL is read-only';

/** Whether PostgreSQL answers and can write, asked at the moment of the question; questions at the same time share one. */
@Injectable()
export class ReadinessService {
  private asking: Promise<Unreadiness | null> | undefined;

  constructor(private readonly database: Database) {}

  /** @returns why the process is not ready, or null when it is. */
  whyNot(): Promise<Unreadiness | null> {
    this.asking ??= this.ask().finally(() => (this.asking = undefined));
    return this.asking;
  }

  private async ask(): Promise<Unreadiness | null> {
    const asked = this.database.query<{ is_read_only: boolean }>(ASK);
    const answer = await withDeadline(asked, ANSWER_WITHIN_MS).catch(() => []);
    if (answer[0] === undefined) return 'PostgreSQL does not answer';
    if (!answer[0].is_read_only) return null;
    // Whoever takes writes now, if anybody does, is found by new connections only, and without requests nothing opens any.
    this.database.reconnect();
    return 'PostgreSQL is read-only';
  }
}
