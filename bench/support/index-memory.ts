import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';

/** An index, its size, and the touched part of it. */
export interface IndexMemory {
  index: string;
  bytes: number;
  touchedBytes: number;
}

/** Idle sessions have reported their reads after this time. */
const REPORTED_AFTER_MS = 11_000;

/**
 * The indexes that `work` uses, each with the touched part. The server must be freshly started, with buffers that hold all of it, so
 * that each page is read once. Pages that are added meanwhile are not counted.
 */
export async function indexMemory(database: pg.Pool, work: () => Promise<unknown>): Promise<IndexMemory[]> {
  const before = new Map((await readsOf(database)).map((each) => [each.index, each]));
  await work();
  await delay(REPORTED_AFTER_MS);
  const after = await readsOf(database);
  return after
    .filter(({ index, uses }) => uses > (before.get(index)?.uses ?? 0))
    .map(({ index, bytes, pages }) => ({
      index,
      bytes,
      touchedBytes: (pages - (before.get(index)?.pages ?? 0)) * PAGE_BYTES,
    }))
    .sort((one, other) => other.bytes - one.bytes);
}

const PAGE_BYTES = 8_192;

async function readsOf(database: pg.Pool): Promise<{ index: string; bytes: number; pages: number; uses: number }[]> {
  const { rows } = await database.query<Record<'index' | 'bytes' | 'pages' | 'uses', string>>(
    `SELECT indexrelname AS index, pg_relation_size(indexrelid) AS bytes, idx_blks_read AS pages,
            idx_blks_read + idx_blks_hit AS uses
     FROM pg_statio_user_indexes`,
  );
  return rows.map(({ index, ...figures }) => ({
    index,
    bytes: Number(figures.bytes),
    pages: Number(figures.pages),
    uses: Number(figures.uses),
  }));
}
