import path from 'node:path';
import type { Readable } from 'node:stream';
import { AppError } from '../../core/errors.js';
import { serviceVersion } from '../../core/project-root.js';
import type { ArchiveRepository, OrdersPartition } from './archive.repository.js';
import { checkRows, readRows, writeRows, writeText } from './files.js';
import { MANIFEST, toText, type ArchivedTable, type Manifest } from './manifest.js';

/** Receives each step in words, before the step begins. */
export type OnStep = (what: string) => void | Promise<void>;

/** The written files of a partition. */
export interface Files {
  manifest: Manifest;
  /** The hash of the manifest. */
  hash: string;
  /** The size of all files. */
  bytes: number;
}

/** Writes the files of a partition, and compares them with the tables. */
export class PartitionFiles {
  constructor(
    private readonly archive: ArchiveRepository,
    private readonly partition: OrdersPartition,
    private readonly directory: string,
    private readonly onStep: OnStep,
  ) {}

  /**
   * Writes all files into the directory and reads them back. Writes the manifest last, over an existing one.
   * @throws AppError if a file can't be written or differs when it is read back, or if a partition has another number of rows by
   * then.
   */
  async write(months: Manifest['months']): Promise<Files> {
    const { number, parts } = this.partition;
    const tables: ArchivedTable[] = [];
    for (const { table, name, key, lower, upper } of parts) {
      const { columns, order } = await this.archive.findColumns(name);
      const range = { key, lower, upper };
      const rows = this.archive.readPart(name, columns, order);
      tables.push(await this.copy({ table, columns, partition: name, ...range }, rows));
    }
    for (const { table, key } of await this.archive.listReferring(this.partition)) {
      const { columns } = await this.archive.findColumns(table);
      const range = { key, lower: this.partition.lower, upper: this.partition.upper };
      const rows = this.archive.readReferring(table, columns, range);
      tables.push(await this.copy({ table, columns, partition: null, ...range }, rows));
    }
    const manifest = {
      number,
      version: serviceVersion(),
      schema: await this.archive.findSchema(),
      written_at: new Date().toISOString(),
      orders: months.reduce((sum, { orders }) => sum + orders, 0),
      months,
      tables,
    };
    await this.check(tables);
    const text = toText(manifest);
    const hash = await writeText(path.join(this.directory, MANIFEST), text);
    const bytes = tables.reduce((sum, each) => sum + each.bytes, Buffer.byteLength(text));
    return { manifest: JSON.parse(text) as Manifest, hash, bytes };
  }

  /** Whether the columns and rows of the partitions equal their files. */
  async areAsWritten({ tables }: Manifest): Promise<boolean> {
    for (const { partition, columns, content_sha256: hash } of tables) {
      if (partition === null) continue;
      await this.onStep(`comparing ${partition}`);
      const { columns: there, order } = await this.archive.findColumns(partition);
      if (there.join() !== columns.join()) return false;
      const read = await readRows(this.archive.readPart(partition, columns, order));
      if (read.content_sha256 !== hash) return false;
    }
    return true;
  }

  /** Whether the files still have the sizes and hashes of the manifest. */
  async areWhole({ tables }: Manifest): Promise<boolean> {
    try {
      await assertFiles(this.directory, tables, this.onStep);
      return true;
    } catch (error) {
      if (error instanceof AppError) return false;
      throw error;
    }
  }

  private async copy(
    of: Omit<ArchivedTable, 'file' | 'rows' | 'bytes' | 'sha256' | 'content_sha256'>,
    content: Readable,
  ): Promise<ArchivedTable> {
    await this.onStep(`writing ${of.partition ?? of.table}`);
    const file = `${of.table}.copy.gz`;
    const written = await writeRows(content, path.join(this.directory, file));
    return { ...of, file, ...written };
  }

  private async check(tables: ArchivedTable[]): Promise<void> {
    await assertFiles(this.directory, tables, this.onStep);
    for (const { partition, rows } of tables) {
      const found = partition === null ? rows : await this.archive.count(partition);
      if (found !== rows)
        throw new AppError('CONFLICT', `${partition} has ${found} rows, but ${rows} were written: start again`);
    }
  }
}

/** @throws AppError for a missing, changed or damaged file. */
export async function assertFiles(directory: string, tables: ArchivedTable[], onStep: OnStep): Promise<void> {
  for (const { file, rows, bytes, sha256, content_sha256 } of tables) {
    await onStep(`reading ${file}`);
    const read = await checkRows(path.join(directory, file));
    const isSame =
      read.rows === rows && read.bytes === bytes && read.sha256 === sha256 && read.content_sha256 === content_sha256;
    if (!isSame)
      throw new AppError(
        'CONFLICT',
        `${path.join(directory, file)} is not as it was written: it was changed or damaged`,
      );
  }
}
