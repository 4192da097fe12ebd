import { Injectable } from '@nestjs/common';
import { Database, type Statement } from '../../database/database.js';
import { LIMITS } from '../stats/database-figures.sql.js';
import { FIND_SUPPLIERS, FIND_WEBHOOKS, type SubjectRow } from './queue-board.sql.js';

export type { SubjectRow } from './queue-board.sql.js';

/** What wake-ups are about. */
@Injectable()
export class QueueBoardRepository {
  constructor(private readonly database: Database) {}

  findSuppliers(ids: number[]): Promise<SubjectRow[]> {
    return this.find(FIND_SUPPLIERS, ids);
  }

  findWebhooks(ids: number[]): Promise<SubjectRow[]> {
    return this.find(FIND_WEBHOOKS, ids);
  }

  private find(statement: Statement, ids: number[]): Promise<SubjectRow[]> {
    return this.database.batch<SubjectRow>([LIMITS, []], [statement, [ids]]);
  }
}
