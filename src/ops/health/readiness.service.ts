import { Injectable } from '@nestjs/common';
import { withDeadline } from '../../core/deadline.js';
import { Database } from '../../database/database.js';

const ANSWER_WITHIN_MS = 1_500;

/** Whether PostgreSQL answers, asked at the moment of the question; questions at the same time share one. */
@Injectable()
export class ReadinessService {
  private asking: Promise<boolean> | undefined;

  constructor(private readonly database: Database) {}

  isReady(): Promise<boolean> {
    this.asking ??= this.ask().finally(() => (this.asking = undefined));
    return this.asking;
  }

  private ask(): Promise<boolean> {
    const answer = this.database.query({ name: 'readiness', text: 'SELECT 1' });
    return withDeadline(answer, ANSWER_WITHIN_MS).then(
      () => true,
      () => false,
    );
  }
}
