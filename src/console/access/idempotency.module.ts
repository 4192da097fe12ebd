import { Module } from '@nestjs/common';
import { AuditLogRepository } from '../../audit-log/audit-log.repository.js';
import { IdempotencyService } from './idempotency.service.js';

/** For what is done once, however often it is asked for. */
@Module({ providers: [AuditLogRepository, IdempotencyService], exports: [IdempotencyService] })
export class IdempotencyModule {}
