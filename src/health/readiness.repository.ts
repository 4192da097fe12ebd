import { Injectable } from '@nestjs/common';
import { Database, type Statement } from '../database/database.js';

/** On a standby every transaction is read-only, and on a server that was told so (`default_transaction_read_only`). */
const ASK: Statement = {
  name: 'readiness',
  text: `SELECT current_setting('transaction_read_only')::boolean AS is_read_only`,
};

@Injectable()
export class ReadinessRepository {
  constructor(private readonly database: Database) {}

  /** @throws SERVICE_UNAVAILABLE */
  async isReadOnly(): Promise<boolean | undefined> {
    const [answer] = await this.database.query<{ is_read_only: boolean }>(ASK);
    return answer?.is_read_only;
  }
}
