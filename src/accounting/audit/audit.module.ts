import { Module } from '@nestjs/common';
import { AuditRepository } from './audit.repository.js';
import { AuditService } from './audit.service.js';
import { ClosingsRepository } from './closings.repository.js';
import { MonthCloserService } from './month-closer.service.js';
import { MonthClosingService } from './month-closing.service.js';

/** Audits the books and closes months. */
@Module({
  providers: [AuditRepository, ClosingsRepository, AuditService, MonthClosingService, MonthCloserService],
  exports: [AuditRepository, ClosingsRepository, AuditService, MonthClosingService],
})
export class AuditModule {}
