import { Injectable } from '@nestjs/common';
import { Database, type Queryable, type Transaction } from '../../database/database.js';
import { withCodes } from '../channels.repository.js';
import type { Stored, StoredLine } from './chain.js';
import { StatementImport } from './statement-import.entity.js';
import type { StatementLine } from './statement-line.entity.js';
import * as sql from './statements.sql.js';

type Identified = { identity: string };
type KnownLine = Pick<StatementLine, 'id' | 'amount' | 'booked_on'>;
type NewLine = Pick<StatementLine, 'booked_on' | 'at' | 'amount' | 'balance_after' | 'text_sealed'> & Identified;

/** An absent member matches every import. */
export interface ImportsFilter {
  channels?: string[] | undefined;
  /** Matches imports with a lower id. */
  before?: number | undefined;
  limit?: number | undefined;
}

export type ImportRow = StatementImport & { channel: string };

const PART = 5_000;

function* partsOf(lines: Iterable<Identified>): Generator<Identified[]> {
  let part: Identified[] = [];
  for (const { identity } of lines) {
    if (part.push({ identity }) < PART) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}

@Injectable()
export class StatementsRepository {
  constructor(private readonly database: Database) {}

  /** Lists the imported lines that a file beginning on `firstOn` must repeat, and the last line of the days before. */
  async listFrom(
    tx: Queryable,
    { channelId, firstOn, changedTextsOn }: { channelId: number; firstOn: string; changedTextsOn: string | null },
  ): Promise<Stored> {
    const [lines, [before = null]] = await Promise.all([
      tx.query<StoredLine>(...sql.LINES_FROM.with({ channelId, firstOn, changedTextsOn })),
      tx.query<StoredLine>(...sql.LAST_LINE.with({ channelId, before: firstOn })),
    ]);
    return { before, lines };
  }

  /** As {@link sql.UNPROVEN_DAYS} says, oldest first. */
  async listUnprovenDays(channelId: number, firstOn: string): Promise<string[]> {
    const days = await this.database.query<{ day: string }>(...sql.UNPROVEN_DAYS.with({ channelId, before: firstOn }));
    return days.map(({ day }) => day);
  }

  async hasLinesAfter(tx: Queryable, channelId: number, id: bigint): Promise<boolean> {
    return (await tx.query(...sql.HAS_LINES_AFTER.with({ channelId, id }))).length > 0;
  }

  /** Finds the lines among these that are imported already. @returns the imported lines by identity. */
  async listSame(tx: Queryable, channelId: number, lines: Iterable<Identified>): Promise<Map<string, KnownLine>> {
    const known = new Map<string, KnownLine>();
    // Part by part, because a file may have many lines.
    for (const part of partsOf(lines)) {
      const found = await tx.query<Identified & KnownLine>(...sql.KNOWN_LINES.with({ channelId, lines: part }));
      for (const { identity, ...line } of found) known.set(identity, line);
    }
    return known;
  }

  /** @returns the ids of the lines by their identities. */
  async insertLines(
    tx: Transaction,
    of: { channelId: number; importId: number },
    lines: NewLine[],
  ): Promise<Map<string, bigint>> {
    if (lines.length === 0) return new Map();
    const inserted = await tx.query<Identified & { id: bigint }>(...sql.INSERT_LINES.with({ ...of, lines }));
    return new Map(inserted.map(({ identity, id }) => [identity, id]));
  }

  async insertImport({ manager }: Transaction, row: Omit<StatementImport, 'id' | 'created_at'>): Promise<number> {
    const { identifiers } = await manager.insert(StatementImport, row);
    return (identifiers[0] as { id: number }).id;
  }

  /** Newest first. */
  list({ channels, before, limit }: ImportsFilter): Promise<ImportRow[]> {
    const query = this.database.manager.createQueryBuilder(StatementImport, 'import');
    if (before !== undefined) query.where('import.id < :before', { before });
    if (limit !== undefined) query.limit(limit);
    return withCodes(query.orderBy('import.id', 'DESC'), channels);
  }

  /** The sealed texts of lines, by the lines' ids. */
  async listTexts(ids: bigint[]): Promise<{ id: bigint; identity: string; text_sealed: Buffer }[]> {
    if (ids.length === 0) return [];
    return this.database.query(...sql.LINE_TEXTS.with({ lines: ids.map((id) => ({ id })) }));
  }

  /** When a statement of each channel was last imported, by the channels' ids. */
  async listLastImports(): Promise<Map<number, Date>> {
    const last = await this.database.query<{ channel_id: number; created_at: Date }>(...sql.LAST_IMPORTS.with({}));
    return new Map(last.map(({ channel_id, created_at }) => [channel_id, created_at]));
  }
}
