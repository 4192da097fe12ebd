import { Injectable } from '@nestjs/common';
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

  private async ask(): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const deadline = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), ANSWER_WITHIN_MS);
    });
    const answer = this.database.query({ name: 'readiness', text: 'SELECT 1' }).then(
      () => true,
      () => false,
    );
    return Promise.race([answer, deadline]).finally(() => clearTimeout(timer));
  }
}
