import { AppError } from '../../core/errors.js';
import type { Written } from './files.js';

export const MANIFEST = 'manifest.json';
const FORMAT = 1;

/** A file of an archived partition. */
export interface ArchivedTable extends Written {
  table: string;
  file: string;
  columns: string[];
  /** The partition whose rows it has, which is dropped; null of a copy of what stays where it is. */
  partition: string | null;
  /** The column with the ids of orders, and which it has: from the first one, or the lowest where that is null, to before `upper`. */
  key: string;
  lower: string | null;
  upper: string;
}

/** What the files of an archived partition are. */
export interface Manifest {
  format: number;
  /** The number of the partition. */
  number: number;
  /** The version of the service, and the migration that its schema is of. */
  version: string;
  schema: string;
  written_at: string;
  orders: number;
  /** How many of the orders lie in each closed month, and the hash of that month. */
  months: { month: string; orders: number; hash: string }[];
  tables: ArchivedTable[];
}

export const toText = (manifest: Omit<Manifest, 'format'>): string =>
  `${JSON.stringify({ format: FORMAT, ...manifest }, null, 2)}\n`;

/** @throws AppError where it is not one of this version. */
export function readManifest(text: string, file: string): Manifest {
  let manifest: Partial<Manifest>;
  try {
    manifest = JSON.parse(text) as Partial<Manifest>;
  } catch {
    throw new AppError('CONFLICT', `${file} is damaged: it is no JSON`);
  }
  if (manifest.format !== FORMAT)
    throw new AppError('CONFLICT', `${file} is of another version of the service: use that one`);
  return manifest as Manifest;
}
