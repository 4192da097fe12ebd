import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { statement } from '../database/parameters.js';

const REMOVE_EXPIRED = statement(
  'company_sign_ins.remove_expired',
  {},
  () => `DELETE FROM company_sign_ins WHERE expires_at < statement_timestamp()`,
);

const INSERT = statement(
  'company_sign_ins.insert',
  { hash: 'bytea', next: 'text', seconds: 'int' },
  ({ hash, next, seconds }) => `
    INSERT INTO company_sign_ins (id_hash, next, expires_at)
    VALUES (${hash}, ${next}, statement_timestamp() + ${seconds} * interval '1 second')`,
);

/** Removes a pending sign-in. Returns no row if the sign-in is completed, expired or unknown. */
const COMPLETE = statement(
  'company_sign_ins.take',
  { hash: 'bytea' },
  ({ hash }) => `
    DELETE FROM company_sign_ins WHERE id_hash = ${hash} AND expires_at > statement_timestamp() RETURNING next`,
);

/** Pending sign-ins at the company's provider. Any process may complete one, and only once. */
@Injectable()
export class CompanySignInsRepository {
  constructor(private readonly database: Database) {}

  /** Also removes expired sign-ins. */
  insert(begun: { hash: Buffer; next: string; seconds: number }): Promise<void> {
    return this.database.transaction((tx) => {
      tx.write(...REMOVE_EXPIRED.with({}));
      tx.write(...INSERT.with(begun));
    });
  }

  /** @returns the page that the person wanted; null for a sign-in that is completed, expired or unknown. */
  async complete(hash: Buffer): Promise<string | null> {
    const [completed] = await this.database.query<{ next: string }>(...COMPLETE.with({ hash }));
    return completed?.next ?? null;
  }
}
