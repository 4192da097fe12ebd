import { Injectable } from '@nestjs/common';
import { SecretBox } from '../core/secret-box.js';
import { Database } from '../database/database.js';
import { assertActor, recordAction, type Actor } from '../audit-log/audit-log.js';
import { SEALED_COLUMNS, SecretsRepository, type SealedColumn } from './secrets.repository.js';

const ROWS_AT_ONCE = 500;

/**
 * Re-seals, with the current SECRETS_KEY, all stored secrets that have a previous key or are not bound to their place.
 */
@Injectable()
export class SecretsService {
  constructor(
    private readonly database: Database,
    private readonly secrets: SecretsRepository,
    private readonly secretBox: SecretBox,
  ) {}

  /**
   * Safe while the service runs; it may be stopped and repeated. A secret that changes meanwhile is skipped.
   * @param by the operator, for the audit log.
   * @param onProgress gets the number of re-sealed secrets.
   * @returns how many secrets were re-sealed.
   * @throws Error for a secret whose key is in neither SECRETS_KEY nor SECRETS_PREVIOUS_KEYS.
   */
  async rotate(by: Actor, onProgress: (done: number) => void = () => undefined): Promise<number> {
    // Check the operator's name before the work, not after it.
    assertActor(by);
    let count = 0;
    for (const column of SEALED_COLUMNS) {
      const before = count;
      count += await this.rotateColumn(column, (done) => onProgress(before + done));
    }
    await this.database.transaction((tx) =>
      recordAction(tx, by, { action: 'secrets.rotate', detail: { rotated: count } }),
    );
    return count;
  }

  private async rotateColumn(column: SealedColumn, onProgress: (done: number) => void): Promise<number> {
    let count = 0;
    let last: number | string = 0;
    for (;;) {
      const rows = await this.secrets.page(column, last, ROWS_AT_ONCE);
      for (const secret of rows.filter(({ sealed }) => this.secretBox.isOutdated(sealed))) {
        const { sealed, place } = secret;
        const resealed = this.secretBox.sealBytes(this.secretBox.openBytes(sealed, place), place);
        if (await this.secrets.replace(column, secret, resealed)) count++;
      }
      onProgress(count);
      if (rows.length < ROWS_AT_ONCE) return count;
      last = rows.at(-1)?.id ?? last;
    }
  }
}
