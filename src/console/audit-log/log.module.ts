import { Module } from '@nestjs/common';
import { AuditLogRepository } from '../../audit-log/audit-log.repository.js';
import { MerchantsModule } from '../../merchants/merchants.module.js';
import { LogController } from './log.controller.js';
import { LogService } from './log.service.js';

/** The audit log. */
@Module({ imports: [MerchantsModule], controllers: [LogController], providers: [AuditLogRepository, LogService] })
export class LogModule {}
