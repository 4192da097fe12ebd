import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import type { Counted, FigureKind } from './counted.js';
import * as sql from './minute-figures.sql.js';
import type { RecentRow, SlotRow } from './minute-figures.sql.js';

export type { RecentRow, SlotRow } from './minute-figures.sql.js';

/** A time in steps. */
export interface Steps {
  since: Date;
  /** Exclusive. */
  until: Date;
  stepSeconds: number;
}

/** What was counted, by the minute. */
@Injectable()
export class MinuteStatsRepository {
  constructor(private readonly database: Database) {}

  /** Adds to this minute. */
  async add(rows: readonly Counted[]): Promise<void> {
    await this.database.query(...sql.ADD_COUNTED.with({ rows }));
  }

  /** Whether somebody has kept the levels of this minute. */
  async hasLevels(): Promise<boolean> {
    const [found] = await this.database.query<{ has_levels: boolean }>(...sql.HAS_LEVELS.with({}));
    return found?.has_levels ?? false;
  }

  async keepLevels(levels: ReadonlyMap<string, bigint>): Promise<void> {
    const rows = [...levels].map(([label, value]) => ({
      figure: 'levels',
      subject: '',
      up_to_ms: 0,
      label,
      value,
    }));
    await this.database.query(...sql.KEEP_LEVELS.with({ rows }));
  }

  /** @param subject a supplier's code, or empty. */
  readSlots(figures: FigureKind[], subject: string, { since, until, stepSeconds }: Steps): Promise<SlotRow[]> {
    const values = { figures, subject, since, until, stepSeconds };
    return this.database.query<SlotRow>(...sql.READ_SLOTS.with(values));
  }

  /** Of the last minutes, this one included. */
  readRecent(figures: FigureKind[], subjects: string[], minutes: number): Promise<RecentRow[]> {
    return this.database.query<RecentRow>(...sql.READ_RECENT.with({ figures, subjects, minutes }));
  }

  /** Removes some of those that are older than so many days. @returns how many. */
  async removeOld(days: number, limit: number): Promise<number> {
    return (await this.database.query(...sql.REMOVE_OLD.with({ days, limit }))).length;
  }
}
