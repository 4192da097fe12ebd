import { AppError } from '../../core/errors.js';
import type { Written } from './files.js';

export const MANIFEST = 'manifest.json';
const FORMAT = 1;

/** A file of an archived partition. */
export interface ArchivedTable extends Written {
  table: string;
  file: string;
  columns: string[];
  /** The name of the partition that had these rows and is dropped; null if the rows also stay in the database. */
  partition: string | null;
  /** The column with the ids of orders. The file has all rows from `lower` (null: from the first row) to before `upper`. */
  key: string;
  lower: string | null;
  upper: string;
}

/** Describes the files of an archived partition. */
export interface Manifest {
  format: number;
  /** The number of the partition. */
  number: number;
  /** The version of the service; `schema` is its last migration. */
  version: string;
  schema: string;
  written_at: string;
  orders: number;
  /** The number of orders in each closed month, and the month's hash. */
  months: { month: string; orders: number; hash: string }[];
  tables: ArchivedTable[];
}

export const toText = (manifest: Omit<Manifest, 'format'>): string =>
  `${JSON.stringify({ format: FORMAT, ...manifest }, null, 2)}\n`;

/** @returns null for a damaged manifest. @throws CONFLICT for one of another format. */
export function parseManifest(text: string, file: string): Manifest | null {
  let manifest: Partial<Manifest> | null;
  try {
    manifest = JSON.parse(text) as Partial<Manifest> | null;
  } catch {
    return null;
  }
  if (manifest === null) return null;
  if (manifest.format !== FORMAT)
    throw new AppError('CONFLICT', `${file} was written by another version of the service: use that version`);
  return manifest as Manifest;
}
