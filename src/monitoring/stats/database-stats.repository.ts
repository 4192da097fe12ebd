import { Injectable } from '@nestjs/common';
import type { FigureRow } from '../../core/figure.js';
import { Database } from '../../database/database.js';
import { FIGURES, LIMITS, type FiguresStatement } from './database-figures.sql.js';

export type { FiguresStatement } from './database-figures.sql.js';

@Injectable()
export class DatabaseStatsRepository {
  readonly statements: readonly FiguresStatement[] = FIGURES;

  constructor(private readonly database: Database) {}

  /** @throws SERVICE_UNAVAILABLE; Error when it takes too long. */
  read(statement: FiguresStatement): Promise<FigureRow[]> {
    return this.database.batch([LIMITS, []], [statement, []]);
  }
}
