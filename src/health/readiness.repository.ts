import { Injectable } from '@nestjs/common';
import { present } from '../core/invariant.js';
import { Database, type Statement } from '../database/database.js';

/** True on a standby, and on a server with `default_transaction_read_only`. */
const FIND_READ_ONLY: Statement = {
  name: 'readiness',
  text: `SELECT current_setting('transaction_read_only')::boolean AS is_read_only`,
};

@Injectable()
export class ReadinessRepository {
  constructor(private readonly database: Database) {}

  /** @throws SERVICE_UNAVAILABLE */
  async isReadOnly(): Promise<boolean> {
    const [answer] = await this.database.query<{ is_read_only: boolean }>(FIND_READ_ONLY);
    return present(answer, 'a setting is read').is_read_only;
  }
}
