import { Injectable } from '@nestjs/common';
import { withDeadline } from '../core/deadline.js';
import { Database } from '../database/database.js';
import { ReadinessRepository } from './readiness.repository.js';

const ANSWER_WITHIN_MS = 1_500;

/** Why a process is not ready. */
export type Unreadiness = 'PostgreSQL does not answer' | 'PostgreSQL is read-only';

/** Whether PostgreSQL answers and can write right now; simultaneous checks share one query. */
@Injectable()
export class ReadinessService {
  private asking: Promise<Unreadiness | null> | undefined;

  constructor(
    private readonly database: Database,
    private readonly repository: ReadinessRepository,
  ) {}

  /** @returns why the process is not ready, or null when it is. */
  whyNot(): Promise<Unreadiness | null> {
    this.asking ??= this.ask().finally(() => (this.asking = undefined));
    return this.asking;
  }

  private async ask(): Promise<Unreadiness | null> {
    const asked = this.repository.isReadOnly();
    const isReadOnly = await withDeadline(asked, ANSWER_WITHIN_MS).catch(() => undefined);
    if (isReadOnly === undefined) return 'PostgreSQL does not answer';
    if (!isReadOnly) return null;
    // Only a new connection can reach a new primary, and without requests none is opened.
    this.database.reconnect();
    return 'PostgreSQL is read-only';
  }
}
