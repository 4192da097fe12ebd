import path from 'node:path';
import { Injectable } from '@nestjs/common';
import { assertActor, recordAction, type Actor } from '../../audit-log/audit-log.js';
import { AppError } from '../../core/errors.js';
import { Database } from '../../database/database.js';
import { WAS_DETACHED } from '../../database/partitions/archived.js';
import { acquireLock } from '../../database/partitions/runs.js';
import { ArchiveRepository, type StateRow } from './archive.repository.js';
import { readRows, readText, sendRows } from './files.js';
import { ArchiveConnectionsService, type ArchiveConnection } from './archive-connections.service.js';
import { MANIFEST, parseManifest, type ArchivedTable, type Manifest } from './manifest.js';
import { assertFiles, type OnStep } from './partition-files.js';

interface RestoreOptions {
  by: Actor;
  onStep?: OnStep;
}

/** A restored partition. */
export interface Restored {
  partition: string;
  orders: number;
}

/** A partition to create again. */
type Part = ArchivedTable & { name: string };

/** Restores an archived partition into its tables. After an interruption, start it again. */
@Injectable()
export class MonthRestoreService {
  constructor(
    private readonly links: ArchiveConnectionsService,
    private readonly database: Database,
  ) {}

  /**
   * @param directory the directory with the partition's files. The archive may have written the files into another directory.
   * @throws CONFLICT for files that were changed or come from another installation; PartitionsRefused; LocksNotFree
   */
  async restore(directory: string, options: RestoreOptions): Promise<Restored> {
    assertActor(options.by);
    const link = await this.links.open();
    try {
      await acquireLock(link.run);
      return await this.restoreOne(link, path.resolve(directory), options);
    } finally {
      await link.end();
    }
  }

  private async restoreOne(
    link: ArchiveConnection,
    directory: string,
    { by, onStep = () => undefined }: RestoreOptions,
  ): Promise<Restored> {
    const archive = new ArchiveRepository(link);
    const file = path.join(directory, MANIFEST);
    const { text, sha256 } = await readText(file);
    const manifest = parseManifest(text, file);
    if (!manifest) throw new AppError('CONFLICT', `${file} is damaged: it is not JSON`);
    const states = await archive.listStates();
    const state = this.stateOf(states, manifest, sha256, file);
    if (state.state === 'dropped') {
      const parts = manifest.tables.flatMap((each) =>
        each.partition === null ? [] : [{ ...each, name: each.partition }],
      );
      await assertFiles(directory, manifest.tables, onStep);
      await this.load(archive, directory, parts, onStep);
      await onStep('waiting for the locks of the tables of orders');
      await archive.attach(manifest.number, parts);
    }
    await onStep('removing kept references');
    const range = { lower: state.first_id, upper: state.end_id };
    await archive.forgetReferences(range);
    await archive.forgetPurchases(range);
    const others = states.filter(({ number }) => number !== manifest.number);
    if (!others.some((other) => WAS_DETACHED.includes(other.state))) await archive.endArchive();
    const restored = { partition: `orders_p${manifest.number}`, orders: manifest.orders };
    await this.database.transaction(async (tx) => {
      await archive.forget(tx, manifest.number);
      recordAction(tx, by, { action: 'month.restore', detail: { ...restored, directory } });
    });
    return restored;
  }

  private stateOf(states: StateRow[], { number }: Manifest, hash: string, file: string): StateRow {
    const state = states.find((each) => each.number === number);
    if (!state) throw new AppError('CONFLICT', `orders_p${number} is not archived: it may have been restored`);
    if (state.state !== 'dropped' && state.state !== 'attached')
      throw new AppError('CONFLICT', `orders_p${number} is still being archived: topup month archive resumes it`);
    if (state.manifest_hash !== hash)
      throw new AppError('CONFLICT', `${file} was not written by this installation, or was changed since`);
    return state;
  }

  /** Creates the tables and loads the files into them. */
  private async load(archive: ArchiveRepository, directory: string, parts: Part[], onStep: OnStep): Promise<void> {
    const names = parts.map(({ name }) => name);
    const left = await archive.listTables(names);
    const attached = left.filter((each) => each.attached).map(({ name }) => name);
    if (attached.length > 0) throw new AppError('CONFLICT', `partition ${attached.join(', ')} already exists`);
    if (left.length > 0) await archive.dropUnattached(left.map(({ name }) => name));
    await archive.make(parts);
    for (const { name, file, columns, content_sha256: hash } of parts) {
      await onStep(`filling ${name}`);
      const { columns: there, order } = await archive.findColumns(name);
      const unknown = columns.filter((column) => !there.includes(column));
      if (unknown.length > 0)
        throw new AppError('CONFLICT', `${file} has columns that ${name} lacks: ${unknown.join(', ')}`);
      await sendRows(path.join(directory, file), archive.writeRows(name, columns));
      const read = await readRows(archive.readPart(name, columns, order));
      if (read.content_sha256 !== hash)
        throw new AppError('CONFLICT', `${name} differs from ${file}: nothing was attached`);
    }
  }
}
