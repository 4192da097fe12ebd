import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { ArchiveConnectionsService } from './archive-connections.service.js';
import { MonthArchiveService } from './month-archive.service.js';
import { MonthRestoreService } from './month-restore.service.js';

/** Moves old orders into files, and back. */
@Module({
  imports: [AuditModule],
  providers: [ArchiveConnectionsService, MonthArchiveService, MonthRestoreService],
  exports: [MonthArchiveService, MonthRestoreService],
})
export class ArchiveModule {}
