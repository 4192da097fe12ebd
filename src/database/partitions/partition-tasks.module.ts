import { Module } from '@nestjs/common';
import { NextPartitionsRepository } from './next-partitions.repository.js';
import { NextPartitionsService } from './next-partitions.service.js';
import { OldPartitionsRepository } from './old-partitions.repository.js';

/** The task of workers that creates partitions, and the old partitions. */
@Module({
  providers: [NextPartitionsRepository, NextPartitionsService, OldPartitionsRepository],
  exports: [OldPartitionsRepository],
})
export class PartitionTasksModule {}
