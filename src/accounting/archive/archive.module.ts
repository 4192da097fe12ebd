import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { ArchiveConnectionsService } from './archive-connections.service.js';
import { MonthArchiveService } from './month-archive.service.js';
import { MonthRestoreService } from './month-restore.service.js';

/** Archives old orders to files, and restores them. */
@Module({
  imports: [AuditModule],
  providers: [ArchiveConnectionsService, MonthArchiveService, MonthRestoreService],
  exports: [MonthArchiveService, MonthRestoreService],
})
export class ArchiveModule {}
