import { Inject, Injectable } from '@nestjs/common';
import type { Readable, Writable } from 'node:stream';
import pg from 'pg';
import { from, to } from 'pg-copy-streams';
import { CONFIG, type Config } from '../../core/config.js';
import { FOR_MIGRATIONS } from '../../database/connections.js';
import { runOn, type Run } from '../../database/partitions/runs.js';

/** A connection of its own to PostgreSQL, for work that takes as long as it takes. */
export interface ArchiveConnection {
  run: Run;
  /** What a COPY … TO STDOUT gives. */
  copyOut: (text: string) => Readable;
  /** Takes what a COPY … FROM STDIN wants. */
  copyIn: (text: string) => Writable;
  end: () => Promise<void>;
}

/** It holds locks that orders wait for: whatever becomes of this machine, PostgreSQL lets go of them within seconds. */
const GIVEN_UP_SOON: pg.ClientConfig = {
  idle_in_transaction_session_timeout: 4_000,
  options: [
    'statement_timeout=0',
    'tcp_keepalives_idle=5',
    'tcp_keepalives_interval=3',
    'tcp_keepalives_count=3',
    // The same rows are the same text, whatever the role or the server says.
    'timezone=UTC',
    'datestyle=ISO',
    'bytea_output=hex',
    'extra_float_digits=1',
    'client_encoding=UTF8',
  ]
    .map((setting) => `-c ${setting}`)
    .join(' '),
};

/** Connects those who archive, directly: what they lock lasts as long as the connection. */
@Injectable()
export class ArchiveConnectionsService {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  async open(): Promise<ArchiveConnection> {
    const client = new pg.Client({
      ...FOR_MIGRATIONS,
      ...GIVEN_UP_SOON,
      application_name: 'topup-archive',
      connectionString: this.config.DATABASE_URL,
    });
    // The statement that meets a lost connection fails with it.
    client.on('error', () => undefined);
    await client.connect();
    return {
      run: runOn(client),
      copyOut: (text) => client.query(to(text)),
      copyIn: (text) => client.query(from(text)),
      end: () => client.end(),
    };
  }
}
