import { Module } from '@nestjs/common';
import { NextPartitionsRepository } from './next-partitions.repository.js';
import { NextPartitionsService } from './next-partitions.service.js';
import { OldPartitionsRepository } from './old-partitions.repository.js';

/** The tasks of workers that create partitions, and the repository of old partitions. */
@Module({
  providers: [NextPartitionsRepository, NextPartitionsService, OldPartitionsRepository],
  exports: [OldPartitionsRepository],
})
export class PartitionTasksModule {}
