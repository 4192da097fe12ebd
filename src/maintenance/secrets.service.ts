import { Injectable } from '@nestjs/common';
import { SecretBox } from '../core/secret-box.js';
import { Database, type Statement } from '../database/database.js';
import { assertActor, recordAction, type Actor } from '../audit-log/audit-log.js';

/** Every column that holds a sealed secret. */
const COLUMNS = [
  { table: 'webhooks', column: 'secret_sealed' },
  { table: 'webhooks', column: 'previous_secret_sealed' },
  { table: 'suppliers', column: 'token_sealed' },
] as const;

const ROWS_AT_ONCE = 500;

/** Seals every stored secret anew under the current SECRETS_KEY. */
@Injectable()
export class SecretsService {
  constructor(
    private readonly database: Database,
    private readonly secretBox: SecretBox,
  ) {}

  /**
   * Safe to run while the service works, to stop and to repeat: a secret that changes meanwhile is left as it is.
   * @param by the operator, for their log.
   * @param onProgress is told how many are sealed anew.
   * @returns how many secrets were sealed anew.
   * @throws Error when one was sealed under a key that neither SECRETS_KEY nor SECRETS_PREVIOUS_KEYS holds.
   */
  async rotate(by: Actor, onProgress: (done: number) => void = () => undefined): Promise<number> {
    // An operator that can't be kept must not be found out after the work.
    assertActor(by);
    let count = 0;
    for (const { table, column } of COLUMNS) {
      const before = count;
      count += await this.rotateColumn(table, column, (done) => onProgress(before + done));
    }
    await this.database.transaction((tx) => {
      recordAction(tx, by, { action: 'secrets.rotate', detail: { rotated: count } });
      return Promise.resolve();
    });
    return count;
  }

  private async rotateColumn(
    table: string,
    column: string,
    onProgress: (done: number) => void,
  ): Promise<number> {
    let count = 0;
    let last = 0;
    for (;;) {
      const rows = await this.database.query<{ id: number; sealed: Buffer }>(page(table, column), [
        last,
        ROWS_AT_ONCE,
      ]);
      for (const { id, sealed } of rows.filter((row) => this.secretBox.isOutdated(row.sealed))) {
        const resealed = this.secretBox.seal(this.secretBox.open(sealed));
        count += (await this.database.query(replace(table, column), [id, sealed, resealed])).length;
      }
      onProgress(count);
      if (rows.length < ROWS_AT_ONCE) return count;
      last = rows.at(-1)?.id ?? last;
    }
  }
}

const page = (table: string, column: string): Statement => ({
  name: `secrets.page.${table}.${column}`,
  text: `SELECT id, ${column} AS sealed FROM ${table} WHERE ${column} IS NOT NULL AND id > $1 ORDER BY id LIMIT $2`,
});

const replace = (table: string, column: string): Statement => ({
  name: `secrets.replace.${table}.${column}`,
  text: `UPDATE ${table} SET ${column} = $3 WHERE id = $1 AND ${column} = $2 RETURNING id`,
});
