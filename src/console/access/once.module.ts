import { Module } from '@nestjs/common';
import { AuditLogRepository } from '../../audit-log/audit-log.repository.js';
import { Once } from './once.service.js';

/** For what is done once, however often it is asked for. */
@Module({ providers: [AuditLogRepository, Once], exports: [Once] })
export class OnceModule {}
