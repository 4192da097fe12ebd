import { Inject, Injectable } from '@nestjs/common';
import type { Readable, Writable } from 'node:stream';
import pg from 'pg';
import { from, to } from 'pg-copy-streams';
import { CONFIG, type Config } from '../../core/config.js';
import { asOptions, FOR_MIGRATIONS, SERVER_KEEPS_ALIVE } from '../../database/connections.js';
import { executeOn, type Execute } from '../../database/partitions/runs.js';

/** A connection outside of the pool, for long work. */
export interface ArchiveConnection {
  run: Execute;
  /** Reads from a `COPY … TO STDOUT`. */
  copyOut: (text: string) => Readable;
  /** Writes to a `COPY … FROM STDIN`. */
  copyIn: (text: string) => Writable;
  end: () => Promise<void>;
}

/** Orders wait for this connection's locks: if this machine fails, PostgreSQL must release them within seconds. */
const RELEASE_LOCKS_SOON: pg.ClientConfig = {
  idle_in_transaction_session_timeout: 4_000,
  options: asOptions([
    'statement_timeout=0',
    ...SERVER_KEEPS_ALIVE,
    // The same rows must give the same text under all settings of role and server.
    'timezone=UTC',
    'datestyle=ISO',
    'bytea_output=hex',
    'extra_float_digits=1',
    'client_encoding=UTF8',
  ]),
};

/**
 * Opens connections outside of the pool. `DATABASE_URL` must lead to PostgreSQL itself: behind a pooler, locks would
 * not last as long as the connection.
 */
@Injectable()
export class ArchiveConnectionsService {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  async open(): Promise<ArchiveConnection> {
    const client = new pg.Client({
      ...FOR_MIGRATIONS,
      ...RELEASE_LOCKS_SOON,
      application_name: 'topup-archive',
      connectionString: this.config.DATABASE_URL,
    });
    // Ignored: the next statement fails, too.
    client.on('error', () => undefined);
    await client.connect();
    return {
      run: executeOn(client),
      copyOut: (text) => client.query(to(text)),
      copyIn: (text) => client.query(from(text)),
      end: () => client.end(),
    };
  }
}
