import { Module } from '@nestjs/common';
import { AuditLogRepository } from '../../audit-log/audit-log.repository.js';
import { IdempotencyService } from './idempotency.service.js';

/** Carries out repeated requests once. */
@Module({ providers: [AuditLogRepository, IdempotencyService], exports: [IdempotencyService] })
export class IdempotencyModule {}
